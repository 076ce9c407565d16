import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { openClient, pair } from '@countersign/client-sdk';
import { memoryStorage } from '@countersign/client-sdk/storage/memory';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Scene } from './scene.js';

let scene: Scene;
beforeAll(async () => {
  scene = await Scene.start();
});
afterAll(() => scene.close());

const WRONG = '0000-0000';

describe('countersign pair', () => {
  it('takes the code of the device, counts wrong ones, forgives typos, and names the device', async () => {
    const dir = scene.directory();
    const { command, pairing, storage } = await scene.startPairing(dir);
    await command.says(/Waiting for a device … \d:\d\d left/);
    await command.says(/Code shown on the device \(\d:\d\d left\)/);
    command.type('nonsense!');
    await command.says(/8 letters and digits/);
    command.type(WRONG);
    await command.says(/not the code\. 2 tries left/);
    command.type(pairing.code.toLowerCase().replace('-', ' '));
    await command.says(/The code is right/);
    await scene.open(storage);
    const { exitCode, stdout, stderr } = await command.ended;
    expect([exitCode, stdout]).toEqual([0, expect.stringContaining('Paired with Test phone (web).')]);
    expect(stderr).toContain('Try it: countersign run');
    expect(stderr).not.toContain(pairing.code);

    const { stdout: table } = await scene.run(['devices'], dir);
    expect(table).toMatch(/Test phone +web +paired +compared +yes/);
  });

  it('voids the link after three wrong codes', async () => {
    const dir = scene.directory();
    const { command } = await scene.startPairing(dir);
    for (const told of [/2 tries left/, /1 try left/]) {
      command.type(WRONG);
      await command.says(told);
    }
    command.type(WRONG);
    const { exitCode, stderr } = await command.ended;
    expect([exitCode, stderr]).toEqual([
      1,
      expect.stringContaining('The link is void; for a new one: countersign pair'),
    ]);
    expect((await scene.run(['devices'], dir)).stdout).toBe('No device is paired.\n');
  });

  it('refuses a device on a no', async () => {
    const { command } = await scene.startPairing(scene.directory());
    await command.says(/Code shown/);
    command.type('no');
    expect(await command.ended).toMatchObject({
      exitCode: 1,
      stderr: expect.stringContaining('was refused'),
    });
  });

  it('says what to do when no code comes', async () => {
    const { command } = await scene.startPairing(scene.directory());
    await command.says(/Code shown/);
    command.child.stdin.end();
    expect(await command.ended).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('--yes') });
  });

  it('accepts a device without a code on --yes and lists it as unverified', async () => {
    const dir = scene.directory();
    const { command, storage } = await scene.startPairing(dir, ['--yes']);
    await scene.open(storage);
    expect((await command.ended).stdout).toContain('without comparing a code');
    const { stdout } = await scene.run(['devices', '--json'], dir);
    expect(JSON.parse(stdout)).toMatchObject({
      v: 1,
      devices: [{ name: 'Test phone', verified: false, state: 'trusted' }],
    });
  });

  it('prints what original apps scan, and an image', async () => {
    const dir = scene.directory();
    const command = scene.start(['pair', '--qr', 'json', '--png', 'code.png'], dir, { cwd: dir });
    const [json] = await command.says(/\{.*\}/);
    expect(JSON.parse(json)).toMatchObject({ v: 1, relay_url: scene.relay.url, rb: 1 });
    await command.says(/code\.png/);
    expect(readFileSync(join(dir, 'code.png')).subarray(1, 4).toString()).toBe('PNG');
    expect(statSync(join(dir, 'code.png')).mode & 0o777).toBe(0o600);
    const storage = memoryStorage();
    await pair(json, { storage, deviceName: 'Other' });
    await command.says(/Code shown/);
    const { exitCode, stderr } = await command.kill('SIGINT');
    expect([exitCode, stderr]).toEqual([130, expect.stringContaining('was not paired')]);
  });

  it('voids the link on an interrupt', async () => {
    const command = scene.start(['pair'], scene.directory());
    const [link] = await command.says(/http\S+#p=[\w-]+/);
    await command.says(/Waiting for a device/);
    expect(await command.kill('SIGINT')).toMatchObject({
      exitCode: 130,
      stderr: expect.stringContaining('void'),
    });
    await expect(pair(link, { storage: memoryStorage(), deviceName: 'Late' })).rejects.toMatchObject({
      code: 'pairing_closed',
    });
  });

  it('says when nobody came in time', async () => {
    const ended = await scene.run(['pair', '--ttl', '1s'], scene.directory());
    expect(ended).toMatchObject({
      exitCode: 3,
      stderr: expect.stringContaining('For a new one: countersign pair'),
    });
  });
});

describe('a paired device', () => {
  it('is renamed and revoked by name or id, revoked only on a yes', async () => {
    const dir = scene.directory();
    await scene.pair(dir);
    expect((await scene.run(['rename', 'Test phone', 'Kitchen'], dir)).stdout).toBe(
      'Test phone is now Kitchen.\n',
    );
    const unknown = await scene.run(['revoke', 'Cellar', '--yes'], dir);
    expect(unknown).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('Devices: Kitchen (') });
    const [, id = ''] = unknown.stderr.match(/Kitchen \((\w+)\)/) ?? [];
    const unasked = await scene.run(['revoke', id], dir);
    expect(unasked).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('--yes') });
    expect((await scene.run(['revoke', id, '--yes'], dir)).stdout).toBe('Revoked Kitchen.\n');
    expect((await scene.run(['devices'], dir)).stdout).toBe('No device is paired.\n');
  });

  it('keeps its directory from moving to another relay', async () => {
    const dir = scene.directory();
    await scene.pair(dir);
    const moved = await scene.run(['status', '--relay', 'wss://other.example'], dir);
    expect(moved).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining(`paired through ${scene.relay.url}`),
    });
    expect((await scene.run(['status'], dir)).stdout).toContain(`${scene.relay.url}  connected`);
  });
});

describe('a relay that asks for an invite', () => {
  it('is named with the command that prints it, and taken once it is given', async () => {
    const strict = await Scene.start({ registration: 'invite' });
    try {
      const dir = strict.directory();
      const refused = await strict.run(['pair'], dir);
      expect(refused.exitCode).toBe(5);
      expect(refused.stderr).toContain('countersign relay invite');
      expect(refused.stderr).toContain('countersign pair --invite CODE');
      const command = strict.start(['pair', '--invite', strict.relay.invite ?? ''], dir);
      await command.says(/Waiting for a device/);
      await command.kill('SIGTERM');
      expect(statSync(join(dir, 'config.json')).mode & 0o777).toBe(0o600);
    } finally {
      await strict.close();
    }
  });
});

describe('a second device with the same link', () => {
  it('gets nothing, and the person is told', async () => {
    const dir = scene.directory();
    const { command, pairing, storage } = await scene.startPairing(dir);
    const [link = ''] = await command.says(/http\S+#p=[\w-]+/);
    await command.says(/Code shown/);
    await expect(pair(link, { storage: memoryStorage(), deviceName: 'Thief' })).rejects.toMatchObject({
      code: 'pairing_closed',
    });
    command.type(pairing.code);
    const client = await openClient({ storage, onAlert: async () => true });
    await command.ended;
    await client.close();
    expect((await scene.run(['devices'], dir)).stdout.trim().split('\n')).toHaveLength(2);
  });
});
