import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { CommandProcess } from './command.js';
import { type Device, ownerOf, Scene } from './scene.js';

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

  it('exits 1 when rejected and prints the sentence for the model', async () => {
    const command = ask();
    await device.reject(await device.item(), 'not\u001b[2J today');
    const { exitCode, stdout } = await command.ended;
    expect(exitCode).toBe(1);
    expect(stdout).toBe('Rejected by the human: not⟨U+001B⟩[2J today\n');
  });

  it('exits 3 when nobody answers in time', async () => {
    const { exitCode, stdout } = await ask('--expires', '5s').ended;
    expect([exitCode, stdout]).toEqual([3, expect.stringContaining('Nobody answered in time')]);
  });

  it('exits 4 without a device and prints the pairing command', async () => {
    const ended = await scene.run(ASK, scene.directory());
    expect(ended.exitCode).toBe(4);
    expect(ended.stderr).toContain('countersign pair');
  });

  it('waits for a device on --wait', async () => {
    const fresh = scene.directory();
    const command = scene.start([...ASK, '--wait'], fresh);
    await command.says(/In another terminal run: countersign pair/);
    const late = await scene.pair(fresh);
    await late.approve(await late.item());
    expect((await command.ended).exitCode).toBe(0);
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

  it('can ask twice at once, each getting its own answer', async () => {
    const [first, second] = [ask('--summary', 'The first'), ask('--summary', 'The second')];
    await device.reject(await device.item(named('The second')), 'no');
    await device.approve(await device.item(named('The first')));
    expect([(await first.ended).exitCode, (await second.ended).exitCode]).toEqual([0, 1]);
  });

  it('survives the death of the daemon: the item is answered after it', async () => {
    const command = ask('--summary', 'Before and after');
    await device.item(named('Before and after'));
    const killed = await ownerOf(dir);
    process.kill(killed, 'SIGKILL');
    await command.says(/starting another one/);
    await device.approve(await device.item(named('Before and after')));
    expect(await command.ended).toMatchObject({ exitCode: 0 });
    expect(await ownerOf(dir)).not.toBe(killed);
  });

  it('takes arguments from a file and from its input, exactly as they are written', async () => {
    writeFileSync(join(dir, 'args.json'), '{"big": 9007199254740993}');
    const fromFile = scene.start(['ask', '--tool', 'x', '--args', '@args.json', '--json'], dir, { cwd: dir });
    await device.approve(await device.item());
    expect(JSON.parse((await fromFile.ended).stdout)).toMatchObject({
      argumentsText: '{"big": 9007199254740993}',
    });
    const piped = scene.start(['ask', '--tool', 'x', '--args', '-', '--json'], dir, { input: '{"n":1}' });
    await device.approve(await device.item());
    expect(JSON.parse((await piped.ended).stdout)).toMatchObject({ arguments: { n: 1 } });
  });
});

describe('countersign run', () => {
  const run = (...argv: string[]): CommandProcess => scene.start(['run', '--', ...argv], dir, { cwd: dir });

  it('runs what was approved, with its output and exit code', async () => {
    const command = run(
      process.execPath,
      '-e',
      'console.log(process.argv[1], process.cwd()); process.exit(7)',
      'a b $HOME',
    );
    const item = await device.item();
    expect(item.entry.arguments).toMatchObject({ cwd: dir });
    expect(item.choices).toEqual(['approve', 'reject', 'reject_with_reason']);
    await device.approve(item);
    expect(await command.ended).toMatchObject({ exitCode: 7, stdout: `a b $HOME ${dir}\n` });
  });

  it('runs nothing when rejected', async () => {
    const command = run(process.execPath, '-e', 'console.log("ran")');
    await device.reject(await device.item(), 'no');
    expect(await command.ended).toMatchObject({ exitCode: 1, stdout: '' });
  });

  it('tells how a program ended by a signal', async () => {
    const command = run(process.execPath, '-e', 'process.kill(process.pid, "SIGTERM")');
    await device.approve(await device.item());
    expect((await command.ended).exitCode).toBe(128 + 15);
  });

  it('passes signals on to the program and waits for it', async () => {
    const script =
      'process.on("SIGINT", () => process.exit(9)); console.log(40 + 2); setInterval(() => {}, 1000)';
    const command = run(process.execPath, '-e', script);
    await device.approve(await device.item());
    await command.says(/^42$/m);
    expect((await command.kill('SIGINT')).exitCode).toBe(9);
  });

  it('says that an approved program is not there', async () => {
    const command = run('no-such-program');
    await device.approve(await device.item());
    expect(await command.ended).toMatchObject({
      exitCode: 127,
      stderr: expect.stringContaining('no such program'),
    });
  });
});
