import { readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { CommandRig } from '../../../../test/support/command-rig.js';
import type { PairingSession } from '../../api.js';
import { runCommandLine } from '../command-line.js';

let rig: CommandRig;
beforeEach(async () => {
  rig = new CommandRig(runCommandLine);
  await rig.serve();
});
afterEach(() => rig.close());

const CODE = 'YA1R-6H00';
const WRONG = '0000-0000\n';

/** A window through which one device comes at once. */
function window(over: Partial<PairingSession> = {}): PairingSession {
  let misses = 0;
  let end: (() => void) | undefined;
  const ended = new Promise<void>((resolve) => {
    end = resolve;
  });
  return {
    link: 'https://relay.example/app/#p=x',
    qrJson: '{"v":1}',
    expiresAt: Date.now() + 60_000,
    qr: (() => Promise.reject(new Error('no terminal'))) as unknown as PairingSession['qr'],
    async *devices() {
      yield { deviceId: 'd1', platform: 'web' };
      await ended;
    },
    confirm: async (_, code) => {
      if (code === 'YA1R6H00') return 'ok';
      misses += 1;
      return misses === 3 ? 'closed' : 'wrong';
    },
    confirmUnverified: async () => 'ok',
    refuse: async () => void rig.agent.told.push('refused'),
    stop: async () => end?.(),
    ...over,
  };
}

function paired(verified: boolean): void {
  rig.agent.list = [
    {
      deviceId: 'd1',
      name: 'Phone\u202e',
      platform: 'web',
      state: 'trusted',
      verified,
      online: true,
      pairedAt: 0,
    },
  ];
}

describe('pair', () => {
  it('takes the code and greets the device by its name', async () => {
    rig.agent.pairing = window();
    paired(true);
    const { exitCode, stdout, stderr } = await rig.run(['pair'], { input: `${CODE}\n` });
    expect([exitCode, stdout]).toEqual([
      0,
      'https://relay.example/app/#p=x\nPaired with Phone⟨U+202E⟩ (web).\n',
    ]);
    expect(stderr).toMatch(/Waiting for a device … \d:\d\d left/);
    expect(stderr).toMatch(/Code shown on the device \(\d:\d\d left\)/);
  });

  it('counts wrong codes, not typos', async () => {
    rig.agent.pairing = window();
    const input = `short\n\n${WRONG}nonsense!\n${WRONG}${WRONG}`;
    const { exitCode, stderr } = await rig.run(['pair'], { input });
    expect(exitCode).toBe(1);
    expect(stderr.match(/8 letters and digits/g)).toHaveLength(2);
    expect(stderr).toMatch(
      /2 tries left[\s\S]*1 try left[\s\S]*The link is void; for a new one: countersign pair\n/,
    );
  });

  it('refuses the device on a no', async () => {
    rig.agent.pairing = window();
    expect(await rig.run(['pair'], { input: 'no\n' })).toMatchObject({ exitCode: 1 });
    expect(rig.agent.told).toEqual(['refused']);
  });

  it('says what to do when no code comes', async () => {
    rig.agent.pairing = window();
    const { exitCode, stderr } = await rig.run(['pair']);
    expect([exitCode, stderr]).toEqual([2, expect.stringContaining('use --yes')]);
  });

  it('accepts a device without its code on --yes only', async () => {
    rig.agent.pairing = window({ confirm: () => Promise.reject(new Error('not asked for')) });
    paired(false);
    const { stdout } = await rig.run(['pair', '--yes']);
    expect(stdout).toContain('without comparing a code');
  });

  it('writes its code to a file nobody else may read, and through no link', async () => {
    const [plain, link] = [join(rig.dir, 'plain.png'), join(rig.dir, 'link.png')];
    writeFileSync(plain, 'old', { mode: 0o644 });
    symlinkSync(plain, link);
    paired(true);
    rig.agent.pairing = window();
    expect(await rig.run(['pair', '--png', plain], { input: CODE })).toMatchObject({ exitCode: 0 });
    expect(readFileSync(plain).subarray(1, 4).toString()).toBe('PNG');
    expect(statSync(plain).mode & 0o777).toBe(0o600);
    for (const path of [link, rig.dir, join(rig.dir, 'none', 'x.png')]) {
      rig.agent.pairing = window();
      const refused = await rig.run(['pair', '--png', path], { input: CODE });
      expect(refused).toMatchObject({ exitCode: 5, stderr: expect.stringContaining('cannot be written') });
    }
  });

  it('says that nobody came in time', async () => {
    rig.agent.pairing = window({ async *devices() {} });
    const { exitCode, stderr } = await rig.run(['pair']);
    expect([exitCode, stderr]).toEqual([3, expect.stringContaining('For a new one: countersign pair')]);
  });

  it('tells of a second device that tried the link', async () => {
    rig.agent.pairing = window({
      async *devices() {
        yield { deviceId: 'd2', platform: 'web', refused: true as const };
        yield { deviceId: 'd1', platform: 'web' };
      },
    });
    paired(true);
    const { exitCode, stderr } = await rig.run(['pair'], { input: CODE });
    expect([exitCode, stderr]).toEqual([
      0,
      expect.stringContaining('A second device tried to use this link'),
    ]);
  });

  it.each(['unauthorized', 'tls', 'relay_binding'])(
    'ends at once on %s, which waiting does not mend',
    async (code) => {
      rig.agent.connected = false;
      rig.agent.problem = { code, message: 'The relay says no.' };
      expect(await rig.run(['pair'])).toMatchObject({
        exitCode: 5,
        stderr: expect.stringContaining('The relay says no.'),
      });
    },
  );
});
