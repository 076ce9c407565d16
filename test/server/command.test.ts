/** The command countersign-relay as an operator meets it. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { RawPeer } from '../support/relay/raw-peer.js';

const MAIN = fileURLToPath(new URL('../../server/src/main.ts', import.meta.url));
const LOADER = new URL('../support/typescript-loader.mjs', import.meta.url).href;

// Each starts processes, which takes its time on a busy machine.
vi.setConfig({ testTimeout: 60_000 });

let dir: string;
const children: ChildProcess[] = [];

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'countersign-relay-'));
});
afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
  rmSync(dir, { recursive: true });
});

type Env = Readonly<Record<string, string | number>>;

/** Settings by their variable's ending, such as `PORT`. */
function start(args: readonly string[] = [], settings: Env = {}) {
  const env: NodeJS.ProcessEnv = {
    PATH: process.env.PATH,
    COUNTERSIGN_RELAY_STORE: join(dir, 'relay.sqlite'),
  };
  for (const [name, value] of Object.entries({ PORT: 0, OPS_PORT: 0, ...settings })) {
    env[`COUNTERSIGN_RELAY_${name}`] = String(value);
  }
  const child = spawn(process.execPath, ['--import', LOADER, MAIN, ...args], { env, cwd: dir });
  children.push(child);
  const output = { out: '', err: '' };
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output.out += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    output.err += text;
  });
  return { child, output };
}

async function finished(args: readonly string[] = [], settings: Env = {}) {
  const { child, output } = start(args, settings);
  const [code] = (await once(child, 'close')) as [number];
  return { code, ...output };
}

/** A relay that has said where it listens. */
async function running(settings: Env = {}) {
  const { child, output } = start([], settings);
  while (!output.out.includes('what is said'))
    await once(child.stdout as NonNullable<typeof child.stdout>, 'data');
  const url = /listens on (\S+)/.exec(output.out)?.[1] ?? '';
  return { child, output, url };
}

describe('starting', () => {
  it('says address, TLS, registration with the invite, data file and what an operator can see', async () => {
    const { output, url } = await running({ REGISTRATION: 'invite' });
    expect(url).toMatch(/^ws:\/\/127\.0\.0\.1:\d+$/);
    expect(output.out).toMatch(/TLS +no TLS \(ws:\/\/\), reachable from this machine only/);
    expect(output.out).toMatch(/registration +invite [\w-]{22} .*countersign-relay invite/);
    expect(output.out).toContain(join(dir, 'relay.sqlite'));
    expect(output.out).toContain('no push provider: WebSocket only');
    expect(output.out).toContain('An operator can see public keys');
  });

  it('has a command that prints the invite again while the relay runs', async () => {
    const { output } = await running({ REGISTRATION: 'invite' });
    const invite = /invite ([\w-]{22}) /.exec(output.out)?.[1] ?? '';
    expect(await finished(['invite'], { REGISTRATION: 'invite' })).toMatchObject({
      code: 0,
      out: `${invite}\n`,
    });
    expect(statSync(join(dir, 'relay.sqlite.invite')).mode & 0o777).toBe(0o600);
    expect(output.err).not.toContain(invite);
  });

  it('names a busy port and exits 1', async () => {
    const holder = createServer().listen(0, '127.0.0.1');
    await once(holder, 'listening');
    const { port } = holder.address() as { port: number };
    const { code, err } = await finished([], { PORT: port });
    holder.close();
    expect(code).toBe(1);
    expect(err).toContain(`port ${port} on 127.0.0.1 is in use`);
    expect(err).toContain('COUNTERSIGN_RELAY_PORT');
  });

  it('says when another relay uses the data file', async () => {
    await running();
    const { code, err } = await finished();
    expect(code).toBe(1);
    expect(err).toContain('Another relay is using this data file');
  });
});

describe('settings', () => {
  it('that cannot be used are refused by name, exit 2', async () => {
    const { code, err } = await finished([], { HOST: '0.0.0.0' });
    expect(err).toContain('countersign-relay: allowInsecure: beyond loopback');
    expect(code).toBe(2);
  });

  it('with an address of another machine are refused too', async () => {
    const settings = { HOST: '203.0.113.1', ALLOW_INSECURE: 1, PUBLIC_HOSTS: 'relay.example' };
    const { code, err } = await finished([], settings);
    expect(err).toContain('host: 203.0.113.1 is no address of this machine');
    expect(code).toBe(2);
  });

  it('come from a file and are printed; misspelt variables are told on', async () => {
    const file = join(dir, 'relay.json');
    writeFileSync(file, JSON.stringify({ maxConnections: 7 }));
    const { code, out, err } = await finished(['--config', file, '--print-config'], { PROT: 1 });
    expect(code).toBe(0);
    expect(JSON.parse(out)).toMatchObject({ maxConnections: 7 });
    expect(err).toContain('COUNTERSIGN_RELAY_PROT is no setting');
  });

  it('are explained by --help; an option that does not exist is a usage error', async () => {
    const { code, out } = await finished(['--help']);
    expect(code).toBe(0);
    for (const text of ['--config', '--print-config', 'COUNTERSIGN_RELAY_PUBLIC_HOSTS', 'invite']) {
      expect(out).toContain(text);
    }
    expect((await finished(['--bogus'])).code).toBe(2);
  });
});

describe('stopping', () => {
  it.each(['SIGTERM', 'SIGINT'] as const)('by %s closes peers with 1001 and exits 0', async (signal) => {
    const { child, url } = await running({ STORE: 'memory' });
    const peer = new RawPeer(url);
    await peer.next('challenge');
    child.kill(signal);
    expect((await peer.whenClosed()).code).toBe(1001);
    expect((await once(child, 'close'))[0]).toBe(0);
  });
});
