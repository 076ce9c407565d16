import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough, Readable } from 'node:stream';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ScriptedAgent } from '../../../test/support/scripted-agent.js';
import { type AgentSocket, serveAgentSocket } from '../daemon/index.js';
import { runCommandLine } from './command-line.js';
import { EXIT } from './exit-codes.js';

let dir: string;
let agent: ScriptedAgent;
let socket: AgentSocket;
let interrupt: AbortController;

beforeEach(async () => {
  dir = mkdtempSync(join(tmpdir(), 'cs-test-'));
  agent = new ScriptedAgent();
  socket = await serveAgentSocket(agent, dir, { program: 'a test' });
  interrupt = new AbortController();
});
afterEach(async () => {
  await socket.close();
  rmSync(dir, { recursive: true, force: true });
});

interface Ran {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
}

async function run(args: readonly string[], env: Record<string, string> = {}): Promise<Ran> {
  const [stdout, stderr] = [new PassThrough(), new PassThrough()];
  const exitCode = await runCommandLine(args, {
    stdin: Readable.from([]),
    stdout,
    stderr,
    env: { COUNTERSIGN_DIR: dir, ...env },
    cwd: dir,
    interrupts: { signal: interrupt.signal, suspend: () => () => undefined },
  });
  return { exitCode, stdout: String(stdout.read() ?? ''), stderr: String(stderr.read() ?? '') };
}

const by = { deviceId: 'd', name: 'Phone' };
const ASK = ['ask', '--tool', 'x'];

describe('wrong usage', () => {
  it.each([
    [['ask'], '--tool'],
    [[...ASK, '--args', '{'], 'not JSON'],
    [[...ASK, '--args', '@no-such-file'], 'cannot be read'],
    [[...ASK, '--expires', 'soon'], '24h'],
    [[...ASK, '--risk', 'some'], 'low, normal, high'],
    [[...ASK, '--relay', 'relay.example'], 'wss://host'],
    [['run'], 'command'],
    [['rename', 'one'], 'name'],
    [['daemon', '--idle', 'later'], '10m'],
    [['assk'], 'Did you mean ask'],
    [['__proto__'], 'unknown command'],
    [['constructor', 'x'], 'unknown command'],
  ])('%j exits 2 and says why', async (args, why) => {
    const { exitCode, stdout, stderr } = await run(args);
    expect([exitCode, stdout]).toEqual([EXIT.usage, '']);
    expect(stderr).toContain(why);
    expect(agent.asked).toEqual([]);
  });

  it('is told on --json too', async () => {
    const { stdout } = await run([...ASK, '--args', '{', '--json']);
    expect(JSON.parse(stdout)).toMatchObject({ v: 1, status: 'error', error: { code: 'failed' } });
  });

  it('without a command shows the help', async () => {
    const { exitCode, stderr } = await run([]);
    expect([exitCode, stderr]).toEqual([EXIT.usage, expect.stringContaining('Exit codes:')]);
  });
});

describe('ask', () => {
  it.each([
    ['rejected', { status: 'rejected', stop: true, by }, 1],
    ['answered', { status: 'answered', answer: 'use b', by }, 1],
    ['expired', { status: 'expired' }, 3],
    ['cancelled', { status: 'cancelled', reason: 'agent_restarted' }, 4],
    ['superseded', { status: 'superseded', replacedBy: 'appr_9' }, 4],
    ['unknown', { status: 'unknown' }, 5],
  ] as const)('%s: prints the sentence and exits as documented', async (_, outcome, exitCode) => {
    const ran = run(ASK);
    (await agent.item(0)).end({ ...outcome, text: 'The sentence.' });
    expect(await ran).toMatchObject({ exitCode, stdout: 'The sentence.\n' });
  });

  it('hands an approval over exactly once', async () => {
    const ran = run([...ASK, '--json']);
    (await agent.item(0)).end({ status: 'approved', arguments: {}, modified: false, scope: 'once', by });
    expect((await ran).exitCode).toBe(0);
    expect(agent.told).toEqual(['done appr_0']);
    const again = run(ASK);
    (await agent.item(1)).end({ status: 'approved', earlier: 'started' });
    expect((await again).exitCode).toBe(5);
    expect(agent.told).toEqual(['done appr_0']);
  });

  it('passes on what it was told of the item', async () => {
    const more = [
      '--args',
      '{"a":1}',
      '--summary',
      's',
      '--detail',
      'd',
      '--risk',
      'high',
      '--expires',
      '10m',
      '--session',
      'r1',
    ];
    const ran = run([...ASK, ...more]);
    const item = await agent.item(0);
    expect(item.request).toEqual({
      toolName: 'x',
      argumentsText: '{"a":1}',
      summary: 's',
      detail: 'd',
      risk: 'high',
      expiresInMs: 600_000,
      sessionId: 'r1',
    });
    item.end({ status: 'expired' });
    await ran;
  });

  it('does not use an approval that comes together with the interrupt', async () => {
    const ran = run(ASK);
    const item = await agent.item(0);
    item.end({ status: 'approved', arguments: {}, by });
    interrupt.abort(EXIT.interrupted);
    expect(await ran).toMatchObject({ exitCode: 130, stdout: '' });
    expect(agent.told).toEqual(['failed appr_0: interrupted before it ran']);
  });
});

describe('run', () => {
  it.each([[{}], [{ argv: [], cwd: '/' }], [{ argv: 'ls', cwd: '/' }], [{ argv: ['ls'] }], [null]])(
    'runs nothing when what was approved is %j',
    async (approved) => {
      const ran = run(['run', '--', 'ls']);
      (await agent.item(0)).end({ status: 'approved', arguments: approved, by });
      expect(await ran).toMatchObject({ exitCode: 5, stderr: expect.stringContaining('nothing was run') });
      expect(agent.told).toEqual(['failed appr_0: what was approved is no command']);
    },
  );

  it('runs what was approved, not what was typed, and tells how it ended', async () => {
    const ran = run(['run', '--', 'no-such-program-typed']);
    const argv = [process.execPath, '-e', 'process.exit(3)'];
    (await agent.item(0)).end({ status: 'approved', arguments: { argv, cwd: dir }, modified: true, by });
    expect((await ran).exitCode).toBe(3);
    expect(agent.told).toEqual(['failed appr_0: exit code 3']);
  });

  it('takes options of the program for the program', async () => {
    const ran = run(['run', '--risk', 'low', 'ls', '--json', '--', '-l']);
    const item = await agent.item(0);
    expect(JSON.parse(item.request.argumentsText ?? '')).toEqual({
      argv: ['ls', '--json', '--', '-l'],
      cwd: dir,
    });
    expect(item.request).toMatchObject({ risk: 'low', summary: 'Run ls --json -- -l' });
    item.end({ status: 'expired' });
    await ran;
  });
});

describe('the settings of a directory that a program of its own serves', () => {
  it("are that program's: another relay is refused", async () => {
    await socket.close();
    socket = await serveAgentSocket(agent, dir, { program: 'a test', relayUrl: 'wss://own.example' });
    const same = await run(['devices'], { COUNTERSIGN_RELAY_URL: 'wss://own.example' });
    expect(same.exitCode).toBe(0);
    const other = await run(['devices', '--relay', 'wss://other.example']);
    expect(other).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining('a test, which uses wss://own.example'),
    });
  });
});

describe('hidden characters', () => {
  it('of a device name are shown as what they are', async () => {
    agent.list = [
      {
        deviceId: 'ab'.repeat(32),
        name: 'A\u001b[31m\u202e',
        platform: 'web',
        state: 'trusted',
        verified: true,
        online: true,
        pairedAt: 0,
      },
    ];
    const { stdout } = await run(['devices']);
    expect(stdout).toContain('A⟨U+001B⟩[31m⟨U+202E⟩');
    expect(stdout).not.toContain('\u001b');
  });
});
