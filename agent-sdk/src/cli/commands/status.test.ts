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

describe('status with a relay that', () => {
  it('lost the devices says that they are to be paired again', async () => {
    const message = 'The relay knows none of the paired devices: it lost its data. Pair them again.';
    rig.agent.problem = { code: 'devices_missing', message };
    const { stdout } = await rig.run(['status', '--dir', rig.dir]);
    expect(stdout.split('\n').slice(0, 3)).toEqual([
      'Relay      ws://127.0.0.1:1  connected',
      `           ${message}`,
      `           Pair again: countersign pair --dir ${rig.dir}`,
    ]);
  });

  it('sent no push for an item says so beneath it', async () => {
    const text = 'No push to Phone: it has registered none.';
    const push = { deviceId: 'd', device: 'Phone', outcome: 'no_token', missed: true, text } as const;
    const item = { requestId: 'appr_1', kind: 'approval', toolName: 't', summary: 'Deploy' } as const;
    const times = { createdAt: Date.now(), expiresAt: Date.now() + 3_600_000 };
    rig.agent.items = [{ ...item, ...times, text: 'waiting', pushes: [push] }];
    const lines = (await rig.run(['status'])).stdout.trimEnd().split('\n').slice(-3);
    expect(lines).toEqual([
      'Pending    1',
      expect.stringMatching(/^ {2}appr_1 {2}t: Deploy {2}\(expires in /),
      `    ${text}`,
    ]);
  });
});
