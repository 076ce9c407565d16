/** Pushes of a relay in a process of its own: killed at any moment it loses none, and its command tries one. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { encodePushHints } from '@countersign/protocol';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { type Gateways, startGateways } from '../../gateways/index.js';
import { AGENT_CAPABILITIES, collapseOf, PLATFORM, providerSettings } from '../../support/push/push-relay.js';
import { authFrame, clientRole, type Keys, newKeys } from '../../support/relay/raw-peer.js';
import { type Agent, RelayScene, sealed } from '../../support/relay/relay-scene.js';
import { relayBundle } from '../../support/trials/relay-bundle.js';
import { RelayProcess } from '../../support/trials/relay-process.js';

// Processes are started several times over.
vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });

const PHONES = 5;

let gateways: Gateways;
let directory: string;
let relay: RelayProcess;
beforeAll(async () => {
  gateways = await startGateways();
  directory = mkdtempSync(join(tmpdir(), 'countersign-push-'));
  relay = await RelayProcess.start({ settings: providerSettings(gateways, directory) });
});
afterAll(async () => {
  await relay.close();
  await gateways.close();
  rmSync(directory, { recursive: true });
});

interface Phone {
  readonly keys: Keys;
  readonly token: string;
}

const login = (scene: RelayScene, keys = newKeys()) =>
  scene.agent(keys, { capabilities: AGENT_CAPABILITIES });

async function phonesOf(scene: RelayScene, agent: Agent, count: number): Promise<Phone[]> {
  const all = await scene.pair(agent, count);
  const phones = all.map((keys) => ({ keys, token: gateways.apns.registerDevice() }));
  for (const { keys, token } of phones) {
    const peer = scene.connect();
    const fields = { namespaceId: agent.namespaceId, platform: PLATFORM.ios, deviceToken: token };
    peer.send(await authFrame(peer, keys, clientRole(keys, fields), { capabilities: ['received'] }));
    await peer.next('auth_ok');
    peer.close();
  }
  await agent.peer.until(
    () =>
      agent.peer.frames.filter((each) => each.type === 'presence_event' && each.status === 2).length ===
      count,
  );
  return phones;
}

let refs = 0n;
async function alertAll(agent: Agent, phones: readonly Phone[], item: number): Promise<void> {
  for (const { keys } of phones) {
    refs += 1n;
    const push = encodePushHints({ intent: 'alert', collapse: collapseOf(item) });
    agent.peer.send({ ...sealed(keys.publicKey, false), ref: refs, push });
  }
  for (const _ of phones) await agent.peer.next('accepted');
}

const shown = (phones: readonly Phone[]) => phones.map(({ token }) => gateways.apns.shown(token).length);

it.each(['after the messages were accepted', 'while pushes are in flight', 'after a push was taken'])(
  'killed %s, the relay sends every push after its next start, and the phone shows each once',
  async (moment) => {
    const scene = RelayScene.at(relay.url);
    const agent = await login(scene);
    const phones = await phonesOf(scene, agent, PHONES);
    const { traffic, delivered, script } = gateways.apns;
    const before = { requests: traffic.count, delivered: delivered.count };
    let release = (): void => undefined;
    const until = new Promise<void>((resolve) => {
      release = resolve;
    });
    if (moment === 'while pushes are in flight') script.next({ times: PHONES, until });
    await alertAll(agent, phones, 1);
    if (moment === 'while pushes are in flight') await traffic.whenCount(before.requests + 1);
    if (moment === 'after a push was taken') await delivered.whenCount(before.delivered + 1);
    await relay.kill();
    release();
    await relay.start();
    await expect.poll(() => shown(phones), { timeout: 30_000 }).toEqual(Array(PHONES).fill(1));
    await scene.close();
  },
);

it('a wake is sent to one device by the command, beside the relay that runs, and its provider’s answer is printed', async () => {
  const scene = RelayScene.at(relay.url);
  const agent = await login(scene);
  const [phone] = await phonesOf(scene, agent, 1);
  const { keys, token } = phone as Phone;
  const id = Buffer.from(keys.publicKey).toString('hex').slice(0, 8);
  expect(await command(id)).toEqual({ code: 0, out: 'apns: accepted, production\n', err: '' });
  expect(gateways.apns.delivered.items.at(-1)).toMatchObject({ token, payload: { d: { wake: true } } });
  gateways.apns.script.next({ reason: 'Unregistered', timestamp: Date.now() });
  expect(await command(id)).toEqual({ code: 1, out: 'apns: dead, Unregistered\n', err: '' });
  expect(await command('0000000000')).toMatchObject({ code: 1, err: expect.stringContaining('no such') });
  expect(await command('xyz')).toMatchObject({ code: 2, err: expect.stringContaining('device: must be') });
  const [other] = await scene.pair(agent, 1, {}, [keys]);
  const without = Buffer.from((other as Keys).publicKey).toString('hex');
  expect(await command(without)).toMatchObject({
    code: 1,
    err: expect.stringContaining('no token (never_registered)'),
  });
  await scene.close();
});

async function command(device: string) {
  const args = [
    await relayBundle(),
    '--config',
    join(relay.dir, 'relay.json'),
    'push',
    'test',
    '--device',
    device,
  ];
  const child = spawn(process.execPath, args, { cwd: relay.dir, env: { PATH: process.env.PATH } });
  const said = { out: '', err: '' };
  child.stdout.on('data', (text) => {
    said.out += text;
  });
  child.stderr.on('data', (text) => {
    said.err += text;
  });
  const [code] = (await once(child, 'close')) as [number];
  return { code, ...said };
}
