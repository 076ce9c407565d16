import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { CommandRig } from '../../../../test/support/command-rig.js';
import { runCommandLine } from '../command-line.js';

let rig: CommandRig;
beforeEach(async () => {
  rig = new CommandRig(runCommandLine);
  await rig.serve();
});
afterEach(() => rig.close());

const ASK = ['ask', '--tool', 'x'];
const by = { deviceId: 'd', name: 'Phone' };

describe('ask', () => {
  it.each([
    ['rejected', { status: 'rejected', stop: true, by }, 1],
    ['answered', { status: 'answered', answer: 'use b', by }, 1],
    ['expired', { status: 'expired' }, 3],
    ['cancelled', { status: 'cancelled', reason: 'agent_restarted' }, 4],
    ['superseded', { status: 'superseded', replacedBy: 'appr_9' }, 4],
    ['unknown', { status: 'unknown' }, 5],
  ] as const)('%s: prints the sentence and exits as documented', async (_, outcome, exitCode) => {
    const ran = rig.run(ASK);
    (await rig.agent.item(0)).end({ ...outcome, text: 'The sentence\u202e.' });
    expect(await ran).toMatchObject({ exitCode, stdout: 'The sentence⟨U+202E⟩.\n' });
  });

  it('prints the pairing command when there is no device', async () => {
    const ran = rig.run([...ASK, '--dir', rig.dir]);
    (await rig.agent.item(0)).end({ status: 'cancelled', reason: 'no_device' });
    const { exitCode, stderr } = await ran;
    expect([exitCode, stderr]).toEqual([4, expect.stringContaining(`countersign pair --dir ${rig.dir}\n`)]);
  });

  it('hands an approval over exactly once', async () => {
    const ran = rig.run([...ASK, '--json']);
    (await rig.agent.item(0)).end({ status: 'approved', arguments: {}, modified: false, scope: 'once', by });
    expect((await ran).exitCode).toBe(0);
    expect(rig.agent.told).toEqual(['done appr_0']);
    const again = rig.run(ASK);
    (await rig.agent.item(1)).end({ status: 'approved', earlier: 'started' });
    expect((await again).exitCode).toBe(5);
    expect(rig.agent.told).toEqual(['done appr_0']);
  });

  it('passes on what it was told of the item', async () => {
    const about = [
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
    const ran = rig.run([...ASK, '--args', '{"a":1}', ...about]);
    const item = await rig.agent.item(0);
    expect(item.request).toEqual({
      toolName: 'x',
      argumentsText: '{"a":1}',
      summary: 's',
      detail: 'd',
      risk: 'high',
      expiresInMs: 600_000,
      sessionId: 'r1',
      cwd: rig.dir,
    });
    item.end({ status: 'expired' });
    await ran;
  });

  it.each([
    ['a file', '@args.json', ''],
    ['its input', '-', '{"big": 9007199254740993, "big": 2}'],
  ])('takes arguments from %s exactly as they are written', async (_, option, input) => {
    const written = '{"big": 9007199254740993, "big": 2}';
    writeFileSync(join(rig.dir, 'args.json'), written);
    const ran = rig.run([...ASK, '--args', option], { input });
    const item = await rig.agent.item(0);
    expect(item.request.argumentsText).toBe(written);
    item.end({ status: 'expired' });
    await ran;
  });

  it('does not use an approval that comes together with the interrupt', async () => {
    const ran = rig.run(ASK);
    const item = await rig.agent.item(0);
    item.end({ status: 'approved', arguments: {}, by });
    rig.interrupt.abort(130);
    expect(await ran).toMatchObject({ exitCode: 130, stdout: '' });
    expect(rig.agent.told).toEqual(['failed appr_0: interrupted before it ran']);
  });

  it('says that no push came of its item, and nothing of other items or of pushes that went out', async () => {
    const ran = rig.run(ASK);
    const item = await rig.agent.item(0);
    const { requestId } = item;
    const push = { deviceId: 'd', device: 'Phone', requestId, outcome: 'no_token', missed: true } as const;
    rig.agent.emit('push', { ...push, text: 'No push to Phone\u202e: none.' });
    rig.agent.emit('push', { ...push, requestId: 'appr_other', text: 'another item' });
    rig.agent.emit('push', { ...push, outcome: 'accepted', missed: false, text: 'it went out' });
    item.end({ status: 'expired' });
    const { stderr } = await ran;
    expect(stderr).toContain('No push to Phone⟨U+202E⟩: none.\n');
    expect(stderr).not.toMatch(/another item|it went out/);
  });

  it('says why the relay is not reached, and when it is, while it waits', async () => {
    rig.agent.connected = false;
    rig.agent.problem = { code: 'unreachable', message: 'The relay cannot be reached.' };
    const ran = rig.run(ASK);
    const item = await rig.agent.item(0);
    await rig.agent.looks(2);
    rig.agent.connected = true;
    await rig.agent.looks(1);
    item.end({ status: 'expired' });
    const { stderr } = await ran;
    expect(stderr.match(/The relay cannot be reached\./g)).toHaveLength(1);
    expect(stderr).toMatch(
      /is started by: countersign relay\nWaiting for the relay[\s\S]*Connected to the relay\./,
    );
  });
});
