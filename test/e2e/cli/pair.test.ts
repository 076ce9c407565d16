import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { pair } from '@countersign/client-sdk';
import { memoryStorage } from '@countersign/client-sdk/storage/memory';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { Scene } from './scene.js';

// Each test starts several programs.
vi.setConfig({ testTimeout: 90_000, hookTimeout: 90_000 });

let scene: Scene;
let dir: string;
beforeAll(async () => {
  scene = await Scene.start();
  dir = scene.directory();
});
afterAll(() => scene.close());

describe('countersign pair', () => {
  it('takes the code of the device, counts a wrong one, forgives spelling, and names the device', async () => {
    const { command, pairing, storage } = await scene.startPairing(dir);
    await command.says(/Code shown on the device \(\d:\d\d left\)/);
    command.type('0000-0000');
    await command.says(/not the code\. 2 tries left/);
    command.type(pairing.code.toLowerCase().replace('-', ' '));
    await command.says(/The code is right/);
    await scene.open(storage);
    const { exitCode, stdout, stderr } = await command.ended;
    expect([exitCode, stdout]).toEqual([0, expect.stringContaining('Paired with Test phone (web).')]);
    expect(stderr).not.toContain(pairing.code);
  });

  it('keeps a directory with devices from moving to another relay', async () => {
    const moved = await scene.run(['status', '--relay', 'wss://other.example'], dir);
    expect(moved.exitCode).toBe(2);
    expect(moved.stderr).toContain(`paired through ${scene.relay.url}`);
    expect((await scene.run(['status'], dir)).stdout).toContain(`${scene.relay.url}  connected`);
  });

  it('accepts a device without a code on --yes, and lists it as unverified', async () => {
    const { command, storage } = await scene.startPairing(dir, ['--yes', '--name', 'My agent']);
    await scene.open(storage);
    expect((await command.ended).stdout).toContain('without comparing a code');
    const { devices } = JSON.parse((await scene.run(['devices', '--json'], dir)).stdout) as {
      devices: object[];
    };
    expect(devices).toContainEqual(expect.objectContaining({ verified: false, state: 'trusted' }));
  });

  it('prints what original apps scan, and an image', async () => {
    const command = scene.start(['pair', '--qr', 'json', '--png', 'code.png'], dir, { cwd: dir });
    const [json] = await command.says(/\{.*\}/);
    expect(JSON.parse(json)).toMatchObject({ v: 1, relay_url: scene.relay.url, rb: 1 });
    await command.says(/code\.png/);
    expect(readFileSync(join(dir, 'code.png')).subarray(1, 4).toString()).toBe('PNG');
    expect(statSync(join(dir, 'code.png')).mode & 0o777).toBe(0o600);
    await pair(json, { storage: memoryStorage(), deviceName: 'Other' });
    await command.says(/Code shown/);
    const { exitCode, stderr } = await command.kill('SIGINT');
    expect([exitCode, stderr]).toEqual([130, expect.stringContaining('was not paired')]);
  });

  it('voids the link on an interrupt', async () => {
    const command = scene.start(['pair'], dir);
    const [link] = await command.says(/http\S+#p=[\w-]+/);
    await command.says(/Waiting for a device/);
    const { exitCode, stderr } = await command.kill('SIGINT');
    expect([exitCode, stderr]).toEqual([130, expect.stringContaining('the link is void')]);
    await expect(pair(link, { storage: memoryStorage(), deviceName: 'Late' })).rejects.toMatchObject({
      code: 'pairing_closed',
    });
  });
});

describe('a relay that asks for an invite', () => {
  it('is named with the command that prints it, and takes the agent once it is given', async () => {
    const strict = await Scene.start({ registration: 'invite' });
    try {
      const fresh = strict.directory();
      const refused = await strict.run(['pair'], fresh);
      expect(refused.exitCode).toBe(5);
      expect(refused.stderr).toContain('countersign relay invite');
      expect(refused.stderr).toContain('countersign pair --invite CODE');
      const command = strict.start(['pair', '--invite', strict.relay.invite ?? ''], fresh);
      await command.says(/Waiting for a device/);
      await command.kill('SIGTERM');
      expect(statSync(join(fresh, 'config.json')).mode & 0o777).toBe(0o600);
    } finally {
      await strict.close();
    }
  });
});
