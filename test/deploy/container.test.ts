/**
 * What the container file does, without an engine: each RUN line is a script, and each is run here, in order, in an
 * empty folder. `npm ci` alone is stood in for, by this clone's node_modules, since it takes minutes; with
 * COUNTERSIGN_WHOLE_CONTAINER=1 it is npm itself, and for root the relay starts as the container's user. The image
 * itself is built by nobody here.
 */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { variableOf } from '../../server/src/config/index.js';
import { SETTINGS } from '../../server/src/config/settings.js';
import { root } from '../house/source-graph.js';

const containerfile = readFileSync(join(root, 'deploy/container/Containerfile'), 'utf8');
const isWhole = process.env.COUNTERSIGN_WHOLE_CONTAINER === '1';
const BUILD_TIMEOUT_MS = 600_000;
const CONTAINER_USER = 10001;

/** Lines that begin with this word, continued ones joined. */
function instructions(word: string): string[] {
  const lines = containerfile.replaceAll(/\\\n\s*/g, '').split('\n');
  return lines.filter((line) => line.startsWith(`${word} `)).map((line) => line.slice(word.length + 1));
}

describe('the container file', () => {
  it('runs nothing but scripts that lie beside it', () => {
    const runs = instructions('RUN');
    expect(runs.length).toBe(3);
    for (const run of runs) {
      const [, script = ''] = /^sh (deploy\/container\/[a-z]+\.sh)( \/out)?$/.exec(run) ?? [];
      expect(existsSync(join(root, script)), run).toBe(true);
    }
  });

  it('ends as a user without rights, with a health check, and writes only to its volume', () => {
    const last = containerfile.split(/^FROM /m).at(-1) ?? '';
    expect(last).not.toMatch(/^RUN /m);
    expect(instructions('USER')).toEqual([`${CONTAINER_USER}:${CONTAINER_USER}`]);
    expect(instructions('VOLUME')).toEqual(['/data']);
    expect(last).toContain('--chown=0:0 /out/opt/countersign /opt/countersign');
    expect(instructions('HEALTHCHECK')[0]).toContain('health.mjs');
  });

  it('sets only what the relay knows, and so does every other file of deploy', () => {
    const known = new Set(Object.keys(SETTINGS).map(variableOf));
    const files = [
      'container/Containerfile',
      'compose/compose.yaml',
      'systemd/countersign-relay.service',
      'proxies/nginx/countersign-relay.conf',
      'proxies/caddy/Caddyfile',
    ];
    for (const file of files) {
      const named =
        readFileSync(join(root, 'deploy', file), 'utf8').match(/COUNTERSIGN_RELAY_[A-Z_]+/g) ?? [];
      expect(named.length, file).toBeGreaterThan(0);
      expect(
        named.filter((name) => !known.has(name)),
        file,
      ).toEqual([]);
    }
  });
});

describe('its scripts, in an empty folder', () => {
  let dir: string;
  let relay: ChildProcess | undefined;
  const app = () => join(dir, 'out/opt/countersign');

  beforeAll(() => {
    dir = mkdtempSync(join(tmpdir(), 'cs-container-'));
    chmodSync(dir, 0o755);
    copySources(join(dir, 'src'));
    const env = isWhole ? { PATH: process.env.PATH, HOME: process.env.HOME } : withoutNpm(dir);
    for (const run of instructions('RUN')) {
      const command = run.replace('/out', join(dir, 'out'));
      execFileSync('sh', ['-c', command], { cwd: join(dir, 'src'), env, stdio: 'pipe' });
    }
  }, BUILD_TIMEOUT_MS);

  afterAll(async () => {
    if (relay?.exitCode === null) {
      relay.kill('SIGTERM');
      await once(relay, 'exit');
    }
    rmSync(dir, { recursive: true, force: true });
  }, BUILD_TIMEOUT_MS);

  it('leave what runs and no sources, which nobody needs to write', () => {
    const listed = execFileSync(
      'find',
      ['.', '-path', './node_modules', '-prune', '-o', '-type', 'f', '-print'],
      {
        cwd: app(),
        encoding: 'utf8',
      },
    );
    expect(listed).toContain('./server/dist/main.js');
    expect(listed).toContain('./server/dist/bundle/main.js');
    expect(listed).toContain('./server/app/index.html');
    expect(listed).not.toMatch(/\/src\//);
    expect(existsSync(join(app(), 'node_modules/better-sqlite3/build/Release/better_sqlite3.node'))).toBe(
      true,
    );
  });

  it('make a relay that starts and is well', async () => {
    const data = join(dir, 'out/data');
    // Only what npm installed can be read by another user: links may lead into somebody's home.
    const isOther = isWhole && process.getuid?.() === 0;
    if (isOther) chownSync(data, CONTAINER_USER, CONTAINER_USER);
    const user = isOther ? { uid: CONTAINER_USER, gid: CONTAINER_USER } : {};
    const settings = { PORT: '0', OPS_PORT: '0', STORE: join(data, 'relay.sqlite'), HOST: '0.0.0.0' };
    const more = { ALLOW_INSECURE: 'true', PUBLIC_HOSTS: 'relay.example', REGISTRATION: 'invite' };
    const named = Object.entries({ ...settings, ...more }).map(([name, value]) => [
      `COUNTERSIGN_RELAY_${name}`,
      value,
    ]);
    const env = { PATH: process.env.PATH, NODE_ENV: 'production', ...Object.fromEntries(named) };
    relay = spawn(process.execPath, [join(app(), 'server/bin/countersign-relay.mjs')], {
      env,
      cwd: data,
      ...user,
    });
    let said = '';
    relay.stdout?.on('data', (chunk: Buffer) => {
      said += chunk.toString();
    });
    while (!said.includes('what is said'))
      await once(relay.stdout as NonNullable<typeof relay.stdout>, 'data');
    const [, opsPort = ''] = /monitoring +http:\/\/127\.0\.0\.1:(\d+)\//.exec(said) ?? [];
    expect(await health(opsPort)).toBe(0);
    relay.kill('SIGTERM');
    expect(await once(relay, 'exit')).toEqual([0, null]);
    expect(await health(opsPort)).toBe(1);
  });

  async function health(opsPort: string): Promise<unknown> {
    const env = { PATH: process.env.PATH, COUNTERSIGN_RELAY_OPS_PORT: opsPort };
    const [exitCode] = (await once(
      spawn(process.execPath, [join(app(), 'health.mjs')], { env }),
      'exit',
    )) as unknown[];
    return exitCode;
  }
});

/** As `COPY . .` with the ignore file: what the repository holds or is about to. */
function copySources(to: string): void {
  const listed = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], {
    cwd: root,
    encoding: 'utf8',
  });
  for (const file of listed.split('\0').filter((path) => path !== '' && existsSync(join(root, path)))) {
    mkdirSync(dirname(join(to, file)), { recursive: true });
    cpSync(join(root, file), join(to, file), { verbatimSymlinks: true });
  }
}

/**
 * An `npm` that takes what is installed here, by links to each package; our own are those of the new folder. The one
 * that collect.sh takes sources out of is copied.
 */
const NPM = `#!/bin/sh
set -eu
[ "$1" = ci ]
mkdir -p node_modules/@countersign
for package in "$CLONE"/* "$CLONE"/.bin; do
  name=\${package##*/}
  case $name in
    @countersign) ;;
    better-sqlite3) cp -R "$package" node_modules/ ;;
    *) ln -s "$package" "node_modules/$name" ;;
  esac
done
cp -P "$CLONE"/@countersign/* node_modules/@countersign/
`;

function withoutNpm(dir: string): NodeJS.ProcessEnv {
  const bin = join(dir, 'bin');
  mkdirSync(bin);
  writeFileSync(join(bin, 'npm'), NPM, { mode: 0o755 });
  return { PATH: `${bin}:${process.env.PATH}`, CLONE: join(root, 'node_modules') };
}
