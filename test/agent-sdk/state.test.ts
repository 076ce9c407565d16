/** What the state directory survives, refuses and forgets. */
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { startTypescript, type TypescriptProcess } from '../support/typescript-process.js';
import { everyByteOf } from './files.js';
import { type Rig, startRig } from './rig.js';
import type { Json } from './scripted-device.js';

const PLANTED = 'planted-secret-argument-7f3a';

let rig: Rig;
const processes: TypescriptProcess[] = [];
beforeEach(async () => {
  rig = await startRig();
});
afterEach(async () => {
  await Promise.all(processes.splice(0).map((one) => one.kill('SIGKILL')));
  await rig.close();
});

function agentProcess(dir: string, mode: string): TypescriptProcess {
  const one = startTypescript('../agent-sdk/agent-process.ts', [rig.relayUrl, dir, mode]);
  processes.push(one);
  return one;
}

/** The rest of the next line that begins with this word. */
async function line(from: TypescriptProcess, word: string): Promise<string> {
  for (;;) {
    const { value, done } = await from.lines.next();
    if (done) throw new Error(`ended before ${word}`);
    if (value.startsWith(`${word} `)) return value.slice(word.length + 1);
  }
}

describe('a state directory', () => {
  it('is private, and its seed is refused when others may read it', async () => {
    const dir = join(rig.dir(), 'new');
    const agent = await rig.open({ dir });
    await agent.close();
    expect(statSync(dir).mode & 0o777).toBe(0o700);
    for (const name of readdirSync(dir)) expect(statSync(join(dir, name)).mode & 0o077).toBe(0);
    chmodSync(join(dir, 'seed'), 0o640);
    const refused = rig.open({ dir });
    await expect(refused).rejects.toMatchObject({ code: 'seed_permissions' });
    await expect(refused).rejects.toThrow(`chmod 600 ${join(dir, 'seed')}`);
  });

  it('is refused when others may write in it', async () => {
    const dir = join(rig.dir(), 'open');
    mkdirSync(dir);
    chmodSync(dir, 0o777);
    await expect(rig.open({ dir })).rejects.toMatchObject({ code: 'state_permissions' });
  });

  it('has one owner, who is named, and is free again after kill -9', async () => {
    const dir = rig.dir();
    const owner = agentProcess(dir, 'hold');
    const pid = Number(await line(owner, 'open'));
    const refused = rig.open({ dir });
    await expect(refused).rejects.toMatchObject({ code: 'directory_in_use' });
    await expect(refused).rejects.toMatchObject({ details: { pid, program: 'agent-process.ts' } });
    await owner.kill('SIGKILL');
    await expect(rig.open({ dir })).resolves.toBeDefined();
  });

  it('has one owner within one process too', async () => {
    const agent = await rig.open();
    await expect(rig.open()).rejects.toMatchObject({
      code: 'directory_in_use',
      details: { pid: process.pid },
    });
    await agent.close();
    await expect(rig.open()).resolves.toBeDefined();
  });

  it('is left as it is when it is damaged, newer, or without its seed', async () => {
    const dir = rig.dir();
    await (await rig.open({ dir })).close();
    const file = join(dir, 'state.db');
    const whole = readFileSync(file);

    writeFileSync(file, 'this is no database, and it is long enough to be looked at as one');
    await expect(rig.open({ dir })).rejects.toMatchObject({ code: 'state_corrupt' });
    const torn = Buffer.concat([whole.subarray(0, 4096), Buffer.alloc(whole.length - 4096, 0xff)]);
    writeFileSync(file, torn);
    await expect(rig.open({ dir })).rejects.toMatchObject({ code: 'state_corrupt' });
    expect(readFileSync(file).equals(torn)).toBe(true);

    writeFileSync(file, whole);
    const db = new Database(file);
    db.pragma('user_version = 99');
    db.close();
    await expect(rig.open({ dir })).rejects.toMatchObject({ code: 'state_newer' });

    writeFileSync(file, whole);
    cpSync(join(dir, 'seed'), join(dir, 'seed.away'));
    writeFileSync(join(dir, 'seed'), Buffer.alloc(31), { mode: 0o600 });
    await expect(rig.open({ dir })).rejects.toMatchObject({ code: 'state_corrupt' });
    writeFileSync(join(dir, 'seed'), Buffer.alloc(32, 7), { mode: 0o600 });
    await expect(rig.open({ dir })).rejects.toMatchObject({ code: 'state_corrupt' });
    writeFileSync(join(dir, 'seed'), readFileSync(join(dir, 'seed.away')), { mode: 0o600 });
    await expect(rig.open({ dir })).resolves.toBeDefined();
  });

  it('that another program holds is said to be locked', async () => {
    const dir = rig.dir();
    await (await rig.open({ dir })).close();
    const db = new Database(join(dir, 'state.db'));
    db.exec('PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE');
    await expect(rig.open({ dir })).rejects.toMatchObject({ code: 'state_locked' });
    db.close();
  });
});

describe('what was asked', () => {
  it('is on disk while it waits and in no file once it ended', async () => {
    const dir = rig.dir();
    const agent = await rig.open({ dir });
    const device = await rig.pair(agent);
    const asked = agent.requestApproval({ toolName: 'a', arguments: { key: PLANTED } });
    const entry = await device.item('approval');
    expect(everyByteOf(dir)).toContain(PLANTED);
    await device.reject(entry);
    await asked;
    await agent.close();
    expect(everyByteOf(dir)).not.toContain(PLANTED);
  });

  it('is in no file once an approved call was started, while its agent is still open', async () => {
    const dir = rig.dir();
    const agent = await rig.open({ dir });
    const device = await rig.pair(agent);
    const asked = agent.requestApproval({ toolName: 'a', arguments: { key: PLANTED } });
    await device.approve(await device.item('approval'));
    const outcome = await asked;
    while (everyByteOf(dir).includes(PLANTED)) await new Promise((resolve) => setTimeout(resolve, 50));
    expect(outcome).toMatchObject({ status: 'approved', arguments: { key: PLANTED } });
  });
});

describe('an agent killed while an item waits', () => {
  it('takes an answer within the grace and hands it to whoever reopens the item', async () => {
    const dir = rig.dir();
    const first = await rig.open({ dir });
    const device = await rig.pair(first);
    await first.close();
    const victim = agentProcess(dir, 'ask');
    const id = await line(victim, 'asked');
    const entry = await device.item('approval');
    await victim.kill('SIGKILL');
    const agent = await rig.open({ dir });
    await device.approve(entry);
    const outcome = await agent.reopen(id);
    expect(outcome).toMatchObject({ status: 'approved', arguments: { to: 'prod' } });
    expect(await agent.reopen(id)).toMatchObject({ status: 'approved', earlier: 'started' });
  });

  it('cancels it as restarted when nobody answers or reopens in that time', async () => {
    const dir = rig.dir();
    const first = await rig.open({ dir });
    const device = await rig.pair(first);
    await first.close();
    const victim = agentProcess(dir, 'ask');
    const id = await line(victim, 'asked');
    await device.waitFor('alert', (one) => one.kind === 'notification');
    await victim.kill('SIGKILL');
    const agent = await rig.open({ dir, reopenGraceMs: 100 });
    const cancelled = await device.waitFor('replacement', (one) => one.replaces === id);
    expect(cancelled.outcome).toBe('cancelled');
    expect(await agent.reopen(id)).toMatchObject({ status: 'cancelled', reason: 'agent_restarted' });
  });

  it('after an approved call started: the outcome is unknown, to model and human', async () => {
    const dir = rig.dir();
    const first = await rig.open({ dir });
    const device = await rig.pair(first);
    await first.close();
    const victim = agentProcess(dir, 'take');
    const id = await line(victim, 'asked');
    await device.waitFor('alert', (one) => one.kind === 'notification');
    await device.approve(await device.item('approval'));
    expect(await line(victim, 'got')).toBe('approved');
    await victim.kill('SIGKILL');
    const agent = await rig.open({ dir });
    const outcome = await agent.reopen(id);
    expect(outcome).toMatchObject({ status: 'unknown' });
    expect(outcome.text).toContain('may or may not have happened');
    expect(await device.waitFor('notice', (one) => one.replaces === id)).toMatchObject({
      body: expect.stringContaining('deploy'),
    });
  });
});

describe('an agent that closes', () => {
  it('cancels what waits, tells everybody, and is closed for good', async () => {
    const agent = await rig.open();
    const device = await rig.pair(agent);
    const asked = agent.requestApproval({ toolName: 'a' });
    const entry = await device.item('approval');
    await device.waitFor('alert', (one) => one.kind === 'notification');
    await agent.close();
    expect(await asked).toMatchObject({ status: 'cancelled', reason: 'closed' });
    await device.waitFor('replacement', (one) => one.replaces === entry.request_id);
    await expect(agent.requestApproval({ toolName: 'a' })).rejects.toMatchObject({ code: 'closed' });
    await expect(agent.pending()).rejects.toMatchObject({ code: 'closed' });
    await expect(agent.whenConnected()).rejects.toMatchObject({ code: 'closed' });
    await agent.close();
  });
});

describe('a state restored from an older copy', () => {
  it('never repeats a nonce, learns it from the device, and asks again under new ids', async () => {
    const dir = rig.dir();
    const agent = await rig.open({ dir });
    const device = await rig.pair(agent);
    void agent.requestApproval({ toolName: 'old', arguments: { n: 1 } });
    const entry = await device.item('approval');
    const copy = rig.dir();
    cpSync(dir, copy, { recursive: true, filter: (file) => !/(lock|owner\.json)$/.test(file) });
    await agent.close();
    // A later process of the same state uses counters that the copy knows nothing of.
    await nextSecond();
    const later = await rig.open({ dir });
    await later.whenConnected();
    const asked = later.requestApproval({ toolName: 'later' });
    const laterEntry = await device.item('approval', (one) => one.tool_name === 'later');
    await device.reject(laterEntry);
    await asked;
    await later.close();
    const seen = device.store.seen;

    await nextSecond();
    const restored = await rig.open({ dir: copy, reopenGraceMs: 20_000 });
    await restored.whenConnected();
    const isNew = (one: Json) => one.tool_name === 'old' && one.request_id !== entry.request_id;
    await device.send('inbox_request', { seen, used: seen }, { live: true });
    const fresh = await device.item('approval', isNew);
    expect(fresh.arguments).toEqual({ n: 1 });
    expect(await restored.reopen(String(entry.request_id))).toMatchObject({
      status: 'superseded',
      replacedBy: fresh.request_id,
    });
    const ref = await device.approve(entry);
    expect(await device.ack(ref)).toMatchObject({ status: 'already_decided', outcome: 'superseded' });
    await device.approve(fresh);
    expect(await restored.reopen(String(fresh.request_id))).toMatchObject({ status: 'approved' });
    expect(device.link.dropped.duplicate ?? 0).toBe(0);
  });
});

describe('a state copied while its agent was open', () => {
  it('is known to be older when the device answered something since', async () => {
    const dir = rig.dir();
    const agent = await rig.open({ dir });
    const device = await rig.pair(agent);
    const asked = agent.requestApproval({ toolName: 'old' });
    const entry = await device.item('approval');
    await device.waitFor('alert', (one) => one.kind === 'notification');
    const copy = rig.dir();
    cpSync(dir, copy, { recursive: true, filter: (file) => !/(lock|owner\.json)$/.test(file) });
    const ref = await device.reject(entry);
    await asked;
    await device.ack(ref);
    await agent.close();
    const { used } = device;
    const { seen } = device.store;
    await nextSecond();
    const restored = await rig.open({ dir: copy, reopenGraceMs: 20_000 });
    await restored.whenConnected();
    await device.send('inbox_request', { seen, used }, { live: true });
    const isNew = (one: Json) => one.request_id !== entry.request_id;
    expect(await device.item('approval', isNew)).toMatchObject({ tool_name: 'old' });
    expect(await restored.reopen(String(entry.request_id))).toMatchObject({ status: 'superseded' });
  });

  it('is not confused with an agent that was killed: its items keep their ids', async () => {
    const dir = rig.dir();
    const agent = await rig.open({ dir });
    const device = await rig.pair(agent);
    await agent.close();
    const victim = agentProcess(dir, 'ask');
    const id = await line(victim, 'asked');
    const entry = await device.item('approval');
    await victim.kill('SIGKILL');
    const next = await rig.open({ dir });
    await next.whenConnected();
    await device.send('inbox_request', { seen: device.store.seen, used: device.used }, { live: true });
    await device.approve(entry);
    expect(await next.reopen(id)).toMatchObject({ status: 'approved' });
  });
});

describe('a new state beside an old seed', () => {
  it('authorizes nothing, so no device is revoked by losing the database', async () => {
    const dir = rig.dir();
    const agent = await rig.open({ dir });
    const device = await rig.pair(agent);
    await agent.close();
    const bare = rig.dir();
    cpSync(join(dir, 'seed'), join(bare, 'seed'));
    chmodSync(join(bare, 'seed'), 0o600);
    expect(existsSync(join(bare, 'state.db'))).toBe(false);
    const blank = await rig.open({ dir: bare });
    await blank.whenConnected();
    await blank.close();
    expect(device.problems).toEqual([]);
    const back = await rig.open({ dir });
    await back.whenConnected();
    void back.requestApproval({ toolName: 'still-there' });
    await device.item('approval', (one) => one.tool_name === 'still-there');
  });
});

/** Counters begin with the second a process starts in (02 §2). */
function nextSecond(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 1020 - (Date.now() % 1000)));
}
