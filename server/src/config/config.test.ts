import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  loadConfig,
  parseConfig,
  printableConfig,
  readInviteFile,
  settingOf,
  settingsHelp,
  writeInviteFile,
} from './index.js';

let dir: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'countersign-config-'));
});
afterEach(() => rmSync(dir, { recursive: true }));

type Env = Readonly<Record<string, string>>;

/** Settings by their variable's ending, such as `PORT`. */
function fromEnv(settings: Env) {
  const env = Object.entries(settings).map(([name, value]) => [`COUNTERSIGN_RELAY_${name}`, value] as const);
  return loadConfig({ env: Object.fromEntries(env) });
}

function problem(run: () => unknown): string {
  try {
    run();
  } catch (error) {
    expect(settingOf(error)).toBeDefined();
    return (error as Error).message;
  }
  throw new Error('it was accepted');
}

describe('settings of the environment', () => {
  it.each<[Env, string]>([
    [{ PORT: 'seven' }, 'port: must be a port number'],
    [{ PORT: '70000' }, 'port: must be 65535 or less'],
    [{ OPS_PORT: 'never' }, 'opsPort: must be a port number or off'],
    [{ OPS_HOST: '0.0.0.0' }, 'allowPublicOps: beyond loopback anyone who reaches opsHost reads /metrics'],
    [{ LOG_FORMAT: 'nice' }, 'logFormat: must be auto, json or pretty'],
    [{ HOST: '0.0.0.0' }, 'allowInsecure: beyond loopback'],
    [{ HOST: '0.0.0.0', ALLOW_INSECURE: 'true' }, 'publicHosts: beyond loopback'],
    [{ PUBLIC_HOSTS: 'relay.example/path' }, 'publicHosts: must look like relay.example'],
    [{ ALLOW_INSECURE: 'perhaps' }, 'allowInsecure: must be true or false'],
    [{ TLS_CERT: 'cert.pem' }, 'tlsKey: tlsCert and tlsKey belong together'],
    [{ TLS_KEY: 'key.pem' }, 'tlsCert: tlsCert and tlsKey belong together'],
    [{ REGISTRATION: 'closed' }, 'registration: must be invite, allowlist or open'],
    [{ INVITE: 'short' }, 'invite: must have 16 characters or more'],
    [{ ALLOWED_AGENTS: 'abc' }, 'allowedAgents: must be the 64 hex characters'],
    [{ ALLOWED_ORIGINS: 'https://app.example/path' }, 'allowedOrigins: must look like'],
    [{ TRUSTED_PROXIES: 'proxy.example' }, 'trustedProxies: must be an IP address'],
    [{ TRUSTED_PROXIES: '10.0.0.0/33' }, 'trustedProxies: must be an IP address'],
    [{ LOG_LEVEL: 'loud' }, 'logLevel: must be silent'],
    [{ IDLE_MS: '0' }, 'idleMs: must be 1 or more'],
    [{ IDLE_MS: '1e9' }, 'idleMs: must be a whole number'],
    [{ IDLE_MS: '99999999999999999999' }, 'idleMs: '],
    [{ PAIRING_TTL_SECONDS: '700' }, 'pairingTtlSeconds: must not be more than maxPairingTtlSeconds'],
    [{ MAX_LIVE_FRAME_BYTES: '2048' }, 'maxLiveFrameBytes: must not be less'],
  ])('%o are refused by name', (settings, message) => {
    expect(problem(() => fromEnv(settings))).toContain(message);
  });

  it('are read by kind', () => {
    const { config } = fromEnv({
      OPS_PORT: 'off',
      ALLOW_INSECURE: '1',
      PUBLIC_HOSTS: ' relay.example , other.example:8443,',
      IDLE_MS: '7',
    });
    expect(config).toMatchObject({
      opsPort: 'off',
      allowInsecure: true,
      publicHosts: ['relay.example', 'other.example:8443'],
      idleMs: 7,
    });
  });

  it('that do not exist are told on; empty ones count as absent', () => {
    const { config, unknownVariables } = fromEnv({ PROT: '1', PORT: '', constructor: 'x' });
    expect(unknownVariables).toEqual(['COUNTERSIGN_RELAY_PROT', 'COUNTERSIGN_RELAY_constructor']);
    expect(config.port).toBe(8787);
  });
});

describe('settings of a file', () => {
  const load = (content: string, env = {}) => {
    const file = join(dir, 'relay.json');
    writeFileSync(file, content);
    return loadConfig({ file, env });
  };

  it('give way to the environment', () => {
    const { config } = load('{"port": 1, "maxConnections": 7}', { COUNTERSIGN_RELAY_PORT: '2' });
    expect(config).toMatchObject({ port: 2, maxConnections: 7 });
  });

  it.each([
    ['{"prot": 1}', 'prot: is no setting of the relay'],
    ['{"__proto__": {"port": 1}}', 'is no setting of the relay'],
    ['{"constructor": 1}', 'constructor: is no setting of the relay'],
    ['{"idleMs": "7"}', 'idleMs: must be a whole number'],
    ['{"idleMs": 1e300}', 'idleMs: '],
    ['{"publicHosts": "relay.example"}', 'publicHosts: must be a list'],
    ['[]', 'must hold one JSON object'],
    ['null', 'must hold one JSON object'],
    ['{', 'is not valid JSON'],
  ])('%s are refused', (content, message) => {
    expect(problem(() => load(content))).toContain(message);
  });

  it('that cannot be read are refused', () => {
    expect(problem(() => loadConfig({ file: join(dir, 'none.json'), env: {} }))).toContain('cannot be read');
  });
});

describe('what follows from settings', () => {
  it.each([
    [{}, { registration: 'open', loopback: true, isPrivate: true, serveApp: true }],
    [
      { publicHosts: ['relay.example'], serveApp: true },
      { isPrivate: false, serveApp: true },
    ],
    [{ serveApp: false }, { isPrivate: true, serveApp: false }],
    [{ host: '::1' }, { registration: 'open', loopback: true }],
    [
      { publicHosts: ['relay.example'] },
      { registration: 'open', loopback: true, isPrivate: false, serveApp: false },
    ],
    [{ trustedProxies: ['10.0.0.0/8'] }, { isPrivate: false }],
    [
      { host: '0.0.0.0', allowInsecure: true, publicHosts: ['relay.example'] },
      { registration: 'invite', loopback: false, isPrivate: false },
    ],
  ])('%o', (input, expected) => {
    expect(parseConfig(input)).toMatchObject(expected);
  });

  it.each([
    ['Relay.Example', 'relay.example'],
    ['relay.example:443', 'relay.example'],
    ['ws://relay.example:80', 'relay.example'],
    ['wss://relay.example:8443/', 'relay.example:8443'],
    ['[2001:DB8::1]:8787', '[2001:db8::1]:8787'],
  ])('the public host %s is %s', (given, expected) => {
    expect(parseConfig({ publicHosts: [given] }).publicHosts).toEqual([expected]);
  });
});

describe('settings as text', () => {
  it('hold no secret', () => {
    const printed = printableConfig(parseConfig({ invite: 'a-secret-invite-code' }));
    expect(printed).not.toContain('a-secret');
    expect(JSON.parse(printed)).toMatchObject({ invite: '(redacted)', port: 8787 });
  });

  it('explain every variable with its default', () => {
    expect(settingsHelp()).toContain('COUNTERSIGN_RELAY_MAX_CONNECTIONS_BEFORE_LOGIN (1000)');
    expect(settingsHelp()).toContain('COUNTERSIGN_RELAY_STORE (countersign-relay.sqlite)');
    expect(settingsHelp()).toMatch(/COUNTERSIGN_RELAY_INVITE\n/);
  });
});

describe('the invite file', () => {
  it('is for its owner only', () => {
    const store = join(dir, 'relay.sqlite');
    expect(readInviteFile(store)).toBeUndefined();
    writeInviteFile(store, 'the-invite');
    expect(readInviteFile(store)).toBe('the-invite');
    expect(statSync(`${store}.invite`).mode & 0o777).toBe(0o600);
  });

  it('does not exist without a data file', () => {
    writeInviteFile('memory', 'the-invite');
    expect(readInviteFile('memory')).toBeUndefined();
  });
});

describe('the second listener', () => {
  it('may be reached from elsewhere when that is said, and needs no saying when it is off', () => {
    expect(fromEnv({ OPS_HOST: '10.0.0.1', ALLOW_PUBLIC_OPS: '1' }).config.opsHost).toBe('10.0.0.1');
    expect(fromEnv({ OPS_HOST: '10.0.0.1', OPS_PORT: 'off' }).config.opsPort).toBe('off');
  });
});

describe('options of the command', () => {
  it('win over the environment, and one that is not given leaves it', () => {
    const env = { COUNTERSIGN_RELAY_LOG_FORMAT: 'json' };
    expect(loadConfig({ env, flags: { logFormat: 'pretty' } }).config.logFormat).toBe('pretty');
    expect(loadConfig({ env, flags: { logFormat: undefined } }).config.logFormat).toBe('json');
  });
});
