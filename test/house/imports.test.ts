/** The import rules of the house, re-derived from the sources each time. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readSources, root, type SourceFile } from './source-graph.js';

const PACKAGES = ['protocol', 'server', 'agent-sdk', 'client-sdk', 'web'];
const sources = new Map(PACKAGES.map((name) => [name, readSources(`${name}/src`)]));
const all = [...sources.values()].flat();

/** Which doors of which packages a package may enter. */
const DOORS: Record<string, readonly string[]> = {
  protocol: [],
  server: ['@countersign/protocol', '@countersign/protocol/auth'],
  'agent-sdk': ['', '/auth', '/json', '/e2e', '/payloads', '/blocks', '/link', '/session'].map(protocolDoor),
  'client-sdk': ['', '/auth', '/json', '/e2e', '/payloads', '/blocks', '/link', '/session'].map(protocolDoor),
  web: [
    ...['', '/e2e', '/blocks', '/payloads', '/json'].map(protocolDoor),
    '@countersign/client-sdk',
    '@countersign/client-sdk/storage/indexeddb',
  ],
};

/** Packages that only these folders may import. */
const CONFINED: Record<string, readonly string[]> = {
  'libsodium-wrappers': ['protocol/src/auth/', 'protocol/src/e2e/'],
  'better-sqlite3': [
    'server/src/adapters/store/sqlite/',
    'agent-sdk/src/store/',
    'agent-sdk/src/session/',
    'agent-sdk/src/completeness/',
  ],
  fastify: ['server/src/http/'],
  'prom-client': ['server/src/observability/'],
  '@fastify/static': ['server/src/http/'],
  '@fastify/websocket': ['server/src/http/'],
  ws: ['protocol/src/platform/', 'server/src/http/'],
  apn: ['server/src/adapters/notifier/apns/'],
  'firebase-admin': ['server/src/adapters/notifier/fcm/'],
  'web-push': ['server/src/adapters/notifier/webpush/'],
  'ipaddr.js': ['server/src/adapters/notifier/webpush/'],
};

/** Globals that only these places may touch. */
const CONFINED_GLOBALS: Record<string, readonly string[]> = {
  'process.env': ['server/src/config/', 'agent-sdk/src/cli/', 'client-sdk/src/cli/'],
  'process.stdout': [
    'server/src/main.ts',
    'server/src/observability/',
    'agent-sdk/src/cli/',
    'client-sdk/src/cli/',
  ],
  'console.log': ['agent-sdk/src/cli/', 'client-sdk/src/cli/', 'server/src/main.ts'],
};

/** Inside the relay: zone → zones it may import. */
const SERVER_ZONES: Record<string, readonly string[]> = {
  index: ['compose', 'config', 'ports'],
  main: ['compose', 'config', 'observability'],
  'compose-push': ['config', 'adapters', 'ports'],
  compose: ['compose-push', 'config', 'http', 'adapters', 'domain', 'ports', 'observability'],
  config: [],
  http: ['domain', 'ports'],
  domain: ['ports'],
  ports: [],
  adapters: ['ports'],
  observability: ['ports'],
};

function protocolDoor(path: string): string {
  return `@countersign/protocol${path}`;
}

function offences(
  files: readonly SourceFile[],
  allowed: (file: SourceFile, specifier: string) => boolean,
): string[] {
  return files.flatMap((file) =>
    file.imports
      .filter((specifier) => !allowed(file, specifier))
      .map((specifier) => `${file.path} → ${specifier}`),
  );
}

const isLocal = (specifier: string): boolean => PACKAGES.some((name) => specifier.startsWith(`${name}/`));
const packageOf = (specifier: string): string =>
  specifier
    .split('/')
    .slice(0, specifier.startsWith('@') ? 2 : 1)
    .join('/');

describe('packages', () => {
  it.each(PACKAGES)('%s enters other packages by their allowed doors only', (name) => {
    const allowed = DOORS[name] ?? [];
    expect(
      offences(
        sources.get(name) ?? [],
        (_, specifier) => !specifier.startsWith('@countersign/') || allowed.includes(specifier),
      ),
    ).toEqual([]);
  });

  it.each(PACKAGES)('%s reaches no other package by a relative path', (name) => {
    expect(offences(sources.get(name) ?? [], (_, s) => !isLocal(s) || s.startsWith(`${name}/src/`))).toEqual(
      [],
    );
  });

  it.each(PACKAGES)('%s imports only what its package.json declares', (name) => {
    const manifest = JSON.parse(readFileSync(join(root, name, 'package.json'), 'utf8')) as Record<
      string,
      object
    >;
    const declared = new Set([
      ...Object.keys(manifest.dependencies ?? {}),
      manifest.name as unknown as string,
    ]);
    expect(
      offences(
        sources.get(name) ?? [],
        (_, s) => isLocal(s) || s.startsWith('node:') || s.startsWith('#') || declared.has(packageOf(s)),
      ),
    ).toEqual([]);
  });
});

describe('confined things', () => {
  it.each(Object.entries(CONFINED))('%s is imported only where it belongs', (library, folders) => {
    expect(
      offences(all, (file, s) => packageOf(s) !== library || folders.some((f) => file.path.startsWith(f))),
    ).toEqual([]);
  });

  it.each(Object.entries(CONFINED_GLOBALS))('%s is touched only where it belongs', (name, folders) => {
    const touching = all.filter((file) => file.globals.has(name)).map((file) => file.path);
    expect(touching.filter((path) => !folders.some((folder) => path.startsWith(folder)))).toEqual([]);
  });

  it('the protocol knows a runtime in platform only', () => {
    const files = (sources.get('protocol') ?? []).filter(
      (file) => !file.path.startsWith('protocol/src/platform/'),
    );
    expect(offences(files, (_, s) => !s.startsWith('node:') && packageOf(s) !== 'ws')).toEqual([]);
  });
});

describe('inside the protocol', () => {
  /** The port of the platform is a file of types; its implementations come by `#platform`. */
  const PLATFORM_PORT = 'protocol/src/platform/platform.js';

  it('a folder enters another by its index', () => {
    const folderOf = (path: string): string => path.split('/').slice(0, 3).join('/');
    expect(
      offences(
        sources.get('protocol') ?? [],
        (file, s) =>
          !isLocal(s) ||
          folderOf(file.path) === folderOf(s) ||
          s === `${folderOf(s)}/index.js` ||
          s === PLATFORM_PORT,
      ),
    ).toEqual([]);
  });
});

describe('inside the relay', () => {
  const zoneOf = (path: string): string => (path.split('/')[2] ?? '').replace(/\.(ts|js)$/, '');
  const files = sources.get('server') ?? [];

  it('zones import along the allowed arrows', () => {
    expect(
      offences(files, (file, s) => {
        const [from, to] = [zoneOf(file.path), zoneOf(s)];
        return !isLocal(s) || from === to || (SERVER_ZONES[from] ?? []).includes(to);
      }),
    ).toEqual([]);
  });

  /** What several adapters of one port share; it is no adapter itself. */
  const SHARED = ['server/src/adapters/notifier/common'];

  it('an adapter never imports another one', () => {
    const adapterOf = (path: string): string => path.split('/').slice(0, 5).join('/');
    const adapters = files.filter((file) => zoneOf(file.path) === 'adapters');
    expect(
      offences(
        adapters,
        (file, s) =>
          zoneOf(s) !== 'adapters' ||
          adapterOf(file.path) === adapterOf(s) ||
          SHARED.some((folder) => s === `${folder}/index.js`),
      ),
    ).toEqual([]);
  });

  it('the domain is pure: no runtime module, clock, chance, environment or output', () => {
    const domain = files.filter((file) => zoneOf(file.path) === 'domain');
    expect(offences(domain, (_, s) => isLocal(s) || s.startsWith('@countersign/protocol'))).toEqual([]);
    const impure = [
      'Date.now',
      'Math.random',
      'process.env',
      'process.hrtime',
      'console.log',
      'globalThis.setTimeout',
    ];
    expect(
      domain.flatMap((file) => impure.filter((g) => file.globals.has(g)).map((g) => `${file.path}: ${g}`)),
    ).toEqual([]);
  });
});
