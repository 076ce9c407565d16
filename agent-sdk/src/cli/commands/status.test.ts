import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { CommandRig } from '../../../../test/support/command-rig.js';
import { runCommandLine } from '../command-line.js';

let rig: CommandRig;
beforeEach(async () => {
  rig = new CommandRig(runCommandLine);
  await rig.serve({ relayUrl: 'ws://127.0.0.1:1' });
});
afterEach(() => rig.close());

describe('status without a relay', () => {
  beforeEach(() => {
    rig.agent.connected = false;
    rig.agent.problem = { code: 'unreachable', message: 'The relay cannot be reached.' };
  });

  it('says so, and how to start one', async () => {
    const { exitCode, stdout } = await rig.run(['status']);
    expect(exitCode).toBe(0);
    expect(stdout.split('\n')).toEqual([
      'Relay      ws://127.0.0.1:1  not connected',
      '           The relay cannot be reached.',
      '           A relay on this machine is started by: countersign relay',
      'Clock      unknown; the relay could not be asked',
      `Directory  ${rig.dir}, served by a test (process ${process.pid})`,
      'Devices    none; pair one: countersign pair',
      'Pending    nothing',
      '',
    ]);
  });

  it('is the same for programs', async () => {
    expect(JSON.parse((await rig.run(['status', '--json'])).stdout)).toMatchObject({
      v: 1,
      dir: rig.dir,
      relayUrl: 'ws://127.0.0.1:1',
      connected: false,
      problem: { code: 'unreachable' },
      owner: { program: 'a test', pid: process.pid },
      devices: [],
      pending: [],
    });
  });
});
