import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { CommandProcess } from './command.js';
import { type Device, ownerOf, Scene } from './scene.js';

// Each test starts several programs.
vi.setConfig({ testTimeout: 90_000, hookTimeout: 90_000 });

let scene: Scene;
let dir: string;
let device: Device;
beforeAll(async () => {
  scene = await Scene.start();
  dir = scene.directory();
  device = await scene.pair(dir);
});
afterAll(() => scene.close());

const ASK = ['ask', '--tool', 'send_email', '--args', '{"to":"ann@example.org"}'];

function ask(...more: string[]): CommandProcess {
  return scene.start([...ASK, ...more], dir);
}

function named(summary: string): (item: { summary: string }) => boolean {
  return (item) => item.summary.includes(summary);
}

describe('countersign ask', () => {
  it('exits 0 when approved and prints the whole outcome on --json', async () => {
    const command = ask('--json', '--summary', 'Mail to Ann');
    await device.approve(await device.item(named('Mail to Ann')));
    const { exitCode, stdout, stderr } = await command.ended;
    expect(exitCode).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({
      v: 1,
      requestId: expect.stringMatching(/^appr_/),
      status: 'approved',
      arguments: { to: 'ann@example.org' },
      scope: 'once',
      by: { name: 'Test phone' },
      receipt: { sig: expect.any(String) },
      text: expect.any(String),
    });
    expect(stderr).toContain('Waiting for a decision on Test phone');
  });

  it('can be asked twice at once, each getting its own answer, while status shows both', async () => {
    const [first, second] = [ask('--summary', 'The first'), ask('--summary', 'The second')];
    const [one, two] = [await device.item(named('The first')), await device.item(named('The second'))];
    const { stdout } = await scene.run(['status'], dir);
    expect(stdout).toMatch(/^Relay +ws:\S+ +connected\nClock +agrees with the relay\nDirectory /);
    expect(stdout).toMatch(/Devices +1\n.*\n +Test phone/);
    expect(stdout).toMatch(/Pending +2\n +appr_\w+ +send_email: The/);
    await device.reject(two, 'not\u001b[2J today');
    await device.approve(one);
    expect((await first.ended).exitCode).toBe(0);
    expect(await second.ended).toMatchObject({
      exitCode: 1,
      stdout: 'Rejected by the human: not⟨U+001B⟩[2J today\n',
    });
  });

  it.each(['SIGINT', 'SIGTERM'] as const)('withdraws the item everywhere on %s', async (signal) => {
    const command = ask();
    await device.item();
    const { exitCode, stderr } = await command.kill(signal);
    expect([exitCode, stderr]).toEqual([
      signal === 'SIGINT' ? 130 : 143,
      expect.stringContaining('Withdrawn.'),
    ]);
    await device.empty();
  });

  it('leaves nothing behind when it is killed', async () => {
    const command = ask();
    await device.item();
    await command.kill('SIGKILL');
    await device.empty();
  });

  it('survives the death of the daemon: its item is answered after it', async () => {
    const command = ask('--summary', 'Before and after');
    await device.item(named('Before and after'));
    const killed = await ownerOf(dir);
    process.kill(killed, 'SIGKILL');
    await command.says(/starting another one/);
    await device.approve(await device.item(named('Before and after')));
    expect((await command.ended).exitCode).toBe(0);
    expect(await ownerOf(dir)).not.toBe(killed);
  });

  it('waits for a device on --wait', async () => {
    const fresh = scene.directory();
    const command = scene.start([...ASK, '--wait'], fresh);
    await command.says(/In another terminal run: countersign pair/);
    const late = await scene.pair(fresh);
    await late.approve(await late.item());
    expect((await command.ended).exitCode).toBe(0);
  });
});

describe('countersign run', () => {
  it('runs what was approved without a shell, with its output and exit code', async () => {
    const script = 'console.log(process.argv[1], process.cwd()); process.exit(7)';
    const command = scene.start(['run', '--', process.execPath, '-e', script, 'a b $HOME'], dir, {
      cwd: dir,
    });
    const item = await device.item();
    expect(item.entry.arguments).toMatchObject({ cwd: dir });
    expect(item.choices).toEqual(['approve', 'reject', 'reject_with_reason']);
    await device.approve(item);
    expect(await command.ended).toMatchObject({ exitCode: 7, stdout: `a b $HOME ${dir}\n` });
  });

  it('passes signals on to the program and waits for it', async () => {
    const script =
      'process.on("SIGINT", () => process.exit(9)); console.log(40 + 2); setInterval(() => {}, 1000)';
    const command = scene.start(['run', '--', process.execPath, '-e', script], dir);
    await device.approve(await device.item());
    await command.says(/^42$/m);
    expect((await command.kill('SIGINT')).exitCode).toBe(9);
  });
});
