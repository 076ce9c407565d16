/** The page on self-hosting, done as it says: certificate, settings, start, look, an agent, a phone, a command. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { CommandProcess } from '../../e2e/cli/command.js';
import { root } from '../../house/source-graph.js';
import { blockOf, makeCertificates } from './certificates.js';
import { freePort, replaced } from './proxy.js';
import { runTool } from './run-tool.js';

// It starts a relay and several programs.
vi.setConfig({ testTimeout: 120_000, hookTimeout: 60_000 });

const PAGE = 'docs/self-hosting.md';
const PHONE = fileURLToPath(new URL('../../../client-sdk/bin/countersign-phone.mjs', import.meta.url));

let dir: string;
let ports: { port: number; opsPort: number };
let relay: ChildProcess;
let said = '';
const commands: CommandProcess[] = [];

/** A block of the page, on ports that are free here. */
function block(firstLine: string): string {
  const lines = blockOf(PAGE, firstLine);
  const pieces: Record<string, string> = { '8443': String(ports.port), '8788': String(ports.opsPort) };
  const there = Object.entries(pieces).filter(([from]) => lines.includes(from));
  return replaced(lines, Object.fromEntries(there));
}

/** As in a shell that stands in `dir`; `npx --no` finds the commands of the clone. */
function environment(): Record<string, string> {
  return { NAME: 'localhost', PATH: `${join(root, 'node_modules/.bin')}:${process.env.PATH}`, HOME: dir };
}

beforeAll(async () => {
  dir = mkdtempSync(join(tmpdir(), 'cs-page-'));
  ports = { port: await freePort(), opsPort: await freePort() };
  makeCertificates(dir);
  await shell(block('# The settings'));
  const start = block('# Start it').replace('npx --no countersign-relay', 'exec countersign-relay');
  const env = { ...environment(), COUNTERSIGN_RELAY_OPS_PORT: String(ports.opsPort) };
  relay = spawn('sh', ['-euc', start], { cwd: dir, env });
  relay.stdout?.on('data', (chunk: Buffer) => {
    said += chunk.toString();
  });
  while (!said.includes('what is said')) await once(relay.stdout as NonNullable<typeof relay.stdout>, 'data');
});

afterAll(async () => {
  const daemon = command(['daemon', '--stop']);
  await daemon.ended;
  await Promise.all(commands.map((each) => each.kill('SIGKILL')));
  relay.kill('SIGTERM');
  await once(relay, 'exit');
  rmSync(dir, { recursive: true, force: true });
});

async function shell(lines: string): Promise<string> {
  const child = spawn('sh', ['-euc', lines], { cwd: dir, env: environment() });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk: Buffer) => {
      output += chunk.toString();
    });
  }
  const [exitCode] = (await once(child, 'close')) as [number];
  expect(exitCode, output).toBe(0);
  return output;
}

function command(args: readonly string[], bin?: string): CommandProcess {
  const env = { COUNTERSIGN_DIR: join(dir, 'agent'), COUNTERSIGN_PHONE_DIR: join(dir, 'phone') };
  const started = new CommandProcess(args, { env, cwd: dir, ...(bin === undefined ? {} : { bin }) });
  commands.push(started);
  return started;
}

it('starts with TLS and invite only, and is well', async () => {
  expect(said).toContain('TLS by this relay');
  expect(said).toMatch(/registration +invite [\w-]{22} /);
  expect(await shell(block('# Look at it'))).toMatch(/^ok\{"ready":true,/);
  const metrics = await (await fetch(`http://127.0.0.1:${ports.opsPort}/metrics`)).text();
  expect(await runTool('promtool', ['check', 'metrics'], { input: metrics })).toEqual({
    exitCode: 0,
    output: '',
  });
});

it('takes an agent with the invite and a phone, by the code, and an approved command runs', async () => {
  const [, invite = ''] = /invite ([\w-]{22})/.exec(said) ?? [];
  const address = `wss://localhost:${ports.port}`;
  const pairing = command(['pair', '--relay', address, '--ca', 'ca.pem', '--invite', invite]);
  const [link] = await pairing.says(/http\S+#p=[\w-]+/);
  const paired = await command(['--ca', 'ca.pem', 'pair', link], PHONE).ended;
  const [code = ''] = /\b[0-9A-Z]{4}-[0-9A-Z]{4}\b/.exec(paired.stdout) ?? [];
  await pairing.says(/Code shown/);
  pairing.type(code);
  command(['--ca', 'ca.pem', 'watch', '--auto', 'approve', '--count', '1'], PHONE);
  expect((await pairing.ended).stdout).toContain('Paired');
  const ran = await command(['run', '--', 'echo', 'hello']).ended;
  expect([ran.exitCode, ran.stdout]).toEqual([0, 'hello\n']);
});
