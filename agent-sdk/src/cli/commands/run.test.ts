import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { CommandRig } from '../../../../test/support/command-rig.js';
import { runCommandLine } from '../command-line.js';

let rig: CommandRig;
beforeEach(async () => {
  rig = new CommandRig(runCommandLine);
  await rig.serve();
});
afterEach(() => rig.close());

const by = { deviceId: 'd', name: 'Phone' };

describe('run', () => {
  it.each([[{}], [{ argv: [], cwd: '/' }], [{ argv: 'ls', cwd: '/' }], [{ argv: ['ls'] }], [null]])(
    'runs nothing when what was approved is %j',
    async (approved) => {
      const ran = rig.run(['run', '--', 'ls']);
      (await rig.agent.item(0)).end({ status: 'approved', arguments: approved, by });
      expect(await ran).toMatchObject({ exitCode: 5, stderr: expect.stringContaining('nothing was run') });
      expect(rig.agent.told).toEqual(['failed appr_0: what was approved is no command']);
    },
  );

  it.each([
    ['rejected', 1],
    ['expired', 3],
    ['unknown', 5],
  ] as const)('runs nothing when %s', async (status, exitCode) => {
    const ran = rig.run(['run', '--', process.execPath, '-e', 'process.exit(77)']);
    (await rig.agent.item(0)).end({ status, text: 'The sentence.', by } as never);
    expect(await ran).toEqual({ exitCode, stdout: '', stderr: 'The sentence.\n' });
  });

  it('runs nothing when the approval was handed out before', async () => {
    const ran = rig.run(['run', '--', process.execPath, '-e', 'process.exit(77)']);
    (await rig.agent.item(0)).end({ status: 'approved', earlier: 'started', by });
    expect((await ran).exitCode).toBe(5);
    expect(rig.agent.told).toEqual([]);
  });

  it.each([
    ['process.exit(0)', 0, 'done appr_0'],
    ['process.exit(3)', 3, 'failed appr_0: exit code 3'],
    ['process.kill(process.pid, "SIGTERM")', 143, 'failed appr_0: ended by SIGTERM'],
  ])(
    'runs what was approved, not what was typed, and tells how it ended: %s',
    async (script, exitCode, told) => {
      const ran = rig.run(['run', '--', 'typed']);
      const argv = [process.execPath, '-e', script];
      (await rig.agent.item(0)).end({
        status: 'approved',
        arguments: { argv, cwd: rig.dir },
        modified: true,
        by,
      });
      expect((await ran).exitCode).toBe(exitCode);
      expect(rig.agent.told).toEqual([told]);
    },
  );

  it.each([
    ['a program that is not there', 'no-such-program', 127],
    ['a file that is no program', '/etc/passwd', 126],
    ['a name no program can have', 'a\0b', 126],
  ])('says that %s did not run', async (_, program, exitCode) => {
    const ran = rig.run(['run', '--', 'typed']);
    (await rig.agent.item(0)).end({ status: 'approved', arguments: { argv: [program], cwd: rig.dir }, by });
    expect(await ran).toMatchObject({ exitCode, stderr: expect.stringContaining('did not run') });
    expect(rig.agent.told).toEqual([expect.stringMatching(/^failed appr_0: /)]);
  });

  it('shows what is hidden in the name of a program that did not run', async () => {
    const ran = rig.run(['run', '--', 'typed']);
    const argv = ['no\u001b[2Jsuch\u202e\rprogram'];
    (await rig.agent.item(0)).end({ status: 'approved', arguments: { argv, cwd: rig.dir }, by });
    const { stderr } = await ran;
    expect(stderr).toContain('did not run');
    expect(stderr.replaceAll('\n', '')).not.toMatch(/[\p{Cc}\p{Bidi_Control}]/u);
  });

  it('takes options of the program for the program', async () => {
    const ran = rig.run(['run', '--risk', 'low', 'ls', '--json', '--', '-l a']);
    const item = await rig.agent.item(0);
    expect(JSON.parse(item.request.argumentsText ?? '')).toEqual({
      argv: ['ls', '--json', '--', '-l a'],
      cwd: rig.dir,
    });
    expect(item.request).toMatchObject({ risk: 'low', summary: "Run ls --json -- '-l a'" });
    item.end({ status: 'expired' });
    await ran;
  });
});
