/** The command line as a whole: what is refused, what is shown. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { CommandRig } from '../../../../test/support/command-rig.js';
import { runCommandLine } from '../command-line.js';
import { dirOptionOf } from '../reach.js';

let rig: CommandRig;
beforeEach(async () => {
  rig = new CommandRig(runCommandLine);
  await rig.serve();
});
afterEach(() => rig.close());

const ASK = ['ask', '--tool', 'x'];

describe('wrong usage', () => {
  it.each([
    [['ask'], '--tool'],
    [[...ASK, '--args', '{'], 'not JSON'],
    [[...ASK, '--args', '@no-such-file'], 'cannot be read'],
    [[...ASK, '--expires', 'soon'], '24h'],
    [[...ASK, '--expires', '4s'], '5s at least'],
    [[...ASK, '--expires', '145h'], '6d at most'],
    [[...ASK, '--risk', 'some'], 'low, normal, high'],
    [[...ASK, '--relay', 'relay.example'], 'wss://host'],
    [['pair', '--ca', 'no-such-file'], 'cannot be read'],
    [['pair', '--app-url', 'nonsense'], 'https://host/path'],
    [['run'], 'command'],
    [['rename', 'one'], 'name'],
    [['daemon', '--idle', 'later'], '10m'],
    [['assk'], 'Did you mean ask'],
    [['__proto__'], 'unknown command'],
    [['constructor', 'x'], 'unknown command'],
  ])('%j exits 2 and says why', async (args, why) => {
    const { exitCode, stdout, stderr } = await rig.run(args);
    expect([exitCode, stdout]).toEqual([2, '']);
    expect(stderr).toContain(why);
    expect(rig.agent.asked).toEqual([]);
  });

  it('is said with what is hidden in it shown, and commands repeat a directory as a shell takes it', async () => {
    const hidden = 'x\u001b]0;t\u0007\u202e';
    for (const args of [[hidden], [...ASK, '--risk', hidden], [...ASK, '--args', `@${hidden}`]]) {
      const { stderr } = await rig.run(args);
      expect(stderr.replaceAll('\n', '')).not.toMatch(/[\p{Cc}\p{Bidi_Control}]/u);
    }
    expect(dirOptionOf("/my state's")).toBe(` --dir '/my state'\\''s'`);
    expect(dirOptionOf(`/${hidden}`)).not.toMatch(/[\p{Cc}\p{Bidi_Control}]/u);
  });

  it('is told on --json too', async () => {
    const { stdout } = await rig.run([...ASK, '--args', '{', '--json']);
    expect(JSON.parse(stdout)).toMatchObject({ v: 1, status: 'error', error: { code: 'failed' } });
  });

  it('without a command shows the help', async () => {
    const { exitCode, stderr } = await rig.run([]);
    expect([exitCode, stderr]).toEqual([2, expect.stringContaining('Exit codes:')]);
  });
});

describe('a directory that a program of its own serves', () => {
  it('has the settings of that program: another relay is refused', async () => {
    await rig.serve({ relayUrl: 'wss://own.example' });
    const same = await rig.run(['devices'], { env: { COUNTERSIGN_RELAY_URL: 'wss://own.example' } });
    expect(same.exitCode).toBe(0);
    const other = await rig.run(['devices', '--relay', 'wss://other.example']);
    expect([other.exitCode, other.stderr]).toEqual([
      2,
      expect.stringContaining('a test, which uses wss://own.example'),
    ]);
  });

  it('is not ended by a command', async () => {
    const { exitCode, stderr } = await rig.run(['daemon', '--stop']);
    expect([exitCode, stderr]).toEqual([5, expect.stringContaining('end that program')]);
  });
});
