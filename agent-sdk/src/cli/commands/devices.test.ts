import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { CommandRig } from '../../../../test/support/command-rig.js';
import type { AgentDevice } from '../../api.js';
import { runCommandLine } from '../command-line.js';

let rig: CommandRig;
beforeEach(async () => {
  rig = new CommandRig(runCommandLine);
  await rig.serve();
});
afterEach(() => rig.close());

const id = (start: string): string => start.padEnd(64, '0');
const device = (deviceId: string, name: string, more: Partial<AgentDevice> = {}): AgentDevice => ({
  deviceId,
  name,
  platform: 'web',
  state: 'trusted',
  verified: true,
  online: true,
  pairedAt: 0,
  ...more,
});

describe('devices', () => {
  it('are a table without hidden characters', async () => {
    rig.agent.list = [
      device(id('abcd'), 'A\u001b[31m\u202e'),
      device(id('ef'), 'B', { state: 'paired', verified: false, online: false, platform: 'ios' }),
    ];
    const { stdout } = await rig.run(['devices']);
    expect(stdout.split('\n').map((line) => line.replace(/ {2,}/g, ' | '))).toEqual([
      'NAME | PLATFORM | STATE | CODE | ONLINE | LAST SEEN | ID',
      'A⟨U+001B⟩[31m⟨U+202E⟩ | web | paired | compared | yes | - | abcd0000',
      'B | ios | waits for its code | - | no | - | ef000000',
      '',
    ]);
  });

  it('are whole on --json', async () => {
    rig.agent.list = [device(id('abcd'), 'A')];
    expect(JSON.parse((await rig.run(['devices', '--json'])).stdout)).toEqual({
      v: 1,
      devices: rig.agent.list,
    });
  });

  it('that are none name the next step', async () => {
    expect(await rig.run(['devices'])).toEqual({
      exitCode: 0,
      stdout: 'No device is paired.\n',
      stderr: 'Pair one: countersign pair\n',
    });
  });
});

describe('one device', () => {
  it.each(['Ann', 'ABCD', 'abcd0'])('is found by name or beginning of its id: %s', async (named) => {
    rig.agent.list = [device(id('abcd'), 'Ann'), device(id('abff'), 'Bob')];
    expect((await rig.run(['rename', named, 'New'])).stdout).toBe('Ann is now New.\n');
    expect(rig.agent.told).toEqual([`rename ${id('abcd')} New`]);
  });

  it.each([
    ['Cyd', 'is no device'],
    ['abc', 'is no device'],
    ['Ann', 'more than one'],
    ['abcd', 'more than one'],
  ])('is not guessed: %s', async (named, why) => {
    rig.agent.list = [device(id('abcd1'), 'Ann'), device(id('abcd2'), 'Ann')];
    const { exitCode, stderr } = await rig.run(['revoke', named, '--yes']);
    expect([exitCode, stderr]).toEqual([2, expect.stringContaining(why)]);
    expect(stderr).toContain('Devices: Ann (abcd1000), Ann (abcd2000).');
    expect(rig.agent.told).toEqual([]);
  });

  it('is revoked without a question only on --yes', async () => {
    rig.agent.list = [device(id('abcd'), 'Ann')];
    expect(await rig.run(['revoke', 'Ann'])).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining('--yes'),
    });
    expect(rig.agent.told).toEqual([]);
    expect((await rig.run(['revoke', 'Ann', '--yes'])).stdout).toBe('Revoked Ann.\n');
    expect(rig.agent.told).toEqual([`revoke ${id('abcd')}`]);
  });
});
