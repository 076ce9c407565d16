/** Peers that are logged in and send too much, too large, or never read. Must not know logins' rules. */
import { randomBytes } from 'node:crypto';
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { decodeFrame, encodeFrame } from '@countersign/protocol';
import {
  agentRole,
  clientRole,
  type Keys,
  namespaceIdOf,
  newKeys,
  pairingRole,
} from '../../support/relay/raw-peer.js';
import { sealed } from '../../support/relay/relay-scene.js';
import { percentile } from '../../support/trials/healthy-pair.js';
import { nextFrame, rawLogin } from '../../support/trials/raw-login.js';
import { frame, OPCODE, type RawSocket } from '../../support/trials/raw-socket.js';
import { type Attack, type Counts, type Scene, Tally } from '../attack.js';
import { FAST, roomy, UNLIMITED } from './settings.js';

const KIB = 1024;
const MIB = 1024 * KIB;
const ATTACKER = '127.0.0.9';
const HURRIED_EXCESS_MS = 1500;
const LOGGED_MS = 30_000;
const TOO_SLOW = '"closeCode":4004';
/** Devices of which an answer tells. */
const COMPANY = 16;
const ASKERS = 4;
const QUESTIONS = Buffer.concat(
  Array.from({ length: 100 }, () => frame(OPCODE.binary, encodeFrame({ type: 'presence_request' }))),
);
const PIECE = 60_000;
const MAX_STORE_BYTES = 16 * MIB;

interface Attackers {
  readonly agent: { readonly socket: RawSocket; readonly keys: Keys };
  readonly devices: readonly Keys[];
  readonly namespaceId: Uint8Array;
}

/** An agent with so many authorized devices, which are not connected. */
async function attackers({ port }: Scene, count = 1): Promise<Attackers> {
  const keys = newKeys();
  const where = { port, from: ATTACKER };
  const { socket } = await rawLogin(where, keys, agentRole(keys));
  const namespaceId = await namespaceIdOf(keys.publicKey);
  const devices: Keys[] = [];
  while (devices.length < count) {
    const device = newKeys();
    const token = new Uint8Array(randomBytes(32));
    socket.send(encodeFrame({ type: 'pairing_start', pairingToken: token, ttl: 0 }));
    await until(socket, 'pairing_ready');
    await rawLogin(where, device, pairingRole(device, { namespaceId, token }));
    devices.push(device);
  }
  socket.send(encodeFrame({ type: 'authorize', clients: devices.map(({ publicKey }) => publicKey) }));
  await until(socket, 'authorize_ok');
  return { agent: { socket, keys }, devices, namespaceId };
}

async function until(socket: RawSocket, type: string): Promise<void> {
  for (;;) {
    const found = await nextFrame(socket);
    if (found === undefined) throw new Error(`an attacker was closed (${socket.closeCode}) before ${type}`);
    if (found.type === type) return;
  }
}

async function deviceSocket({ port }: Scene, { namespaceId }: Attackers, keys: Keys): Promise<RawSocket> {
  const { socket, answer } = await rawLogin(
    { port, from: ATTACKER },
    keys,
    clientRole(keys, { namespaceId }),
  );
  if (answer !== 'auth_ok') throw new Error(`an attacker's device was answered ${answer}`);
  return socket;
}

/** Everything sent so far was dealt with, or the connection has ended. */
async function settled(socket: RawSocket): Promise<void> {
  const mark = randomBytes(8);
  socket.write(frame(OPCODE.ping, mark));
  await socket.until(
    () =>
      socket.ended ||
      socket.received.some(({ opcode, payload }) => opcode === OPCODE.pong && payload.equals(mark)),
  );
}

/** Takes what came and counts errors and whatever else is no message. */
function take(socket: RawSocket, tally: Tally): void {
  for (const { opcode, payload } of socket.received.splice(0)) {
    if (opcode !== OPCODE.binary) continue;
    const found = decodeFrame(payload);
    tally.add(found?.type === 'error' ? found.code : (found?.type ?? 'no frame'));
  }
}

/** Queues for a peer that is away. */
async function fillQueue(scene: Scene, from: RawSocket, to: Uint8Array, size: number): Promise<Tally> {
  const tally = new Tally();
  const batch = Math.max(1, Math.floor(MIB / (size + 100)));
  for (let sent = 0; sent < scene.attempts; sent += batch) {
    for (let n = sent; n < Math.min(scene.attempts, sent + batch); n++) {
      from.send(encodeFrame(sealed(to, false, size)));
    }
    await settled(from);
    take(from, tally);
  }
  tally.add('queued', scene.attempts - tally.of('queue_full') - tally.of('unavailable'));
  return tally;
}

function agentsQueue(name: string, size: number, limit: string, most: number): Attack {
  return {
    name,
    limit,
    settings: roomy,
    async run(scene) {
      const before = (await scene.relay.status()).messages;
      const { agent, devices } = await attackers(scene);
      const tally = await fillQueue(scene, agent.socket, (devices[0] as Keys).publicKey, size);
      scene.must(tally.of('queued') <= most, `${most} are kept (${JSON.stringify(tally.counts)})`);
      const { messages } = await scene.relay.status();
      scene.must(messages - before <= most + 2, `the store holds no more (${messages} after ${before})`);
      agent.socket.destroy();
      return tally.counts;
    },
  };
}

function devicesQueue(name: string, size: number, limit: string, most: number): Attack {
  return {
    name,
    limit,
    settings: roomy,
    async run(scene) {
      const all = await attackers(scene);
      const device = await deviceSocket(scene, all, all.devices[0] as Keys);
      all.agent.socket.destroy();
      await until(device, 'presence_event');
      const tally = await fillQueue(scene, device, all.agent.keys.publicKey, size);
      scene.must(tally.of('queued') <= most, `${most} are kept (${JSON.stringify(tally.counts)})`);
      device.destroy();
      return tally.counts;
    },
  };
}

/** Agents of many namespaces fill their queues until the relay is full. */
async function fillStore(scene: Scene): Promise<Counts> {
  const tally = new Tally();
  const left = { attempts: scene.attempts };
  while (left.attempts > 0) {
    const all = await attackers(scene).catch(() => undefined);
    if (all === undefined) {
      tally.add('new namespace: unavailable');
      left.attempts--;
      continue;
    }
    const share = Math.min(100, left.attempts);
    const found = await fillQueue(
      { ...scene, attempts: share },
      all.agent.socket,
      all.devices[0]?.publicKey as Uint8Array,
      PIECE,
    );
    for (const [what, times] of Object.entries(found.counts)) tally.add(what, times);
    left.attempts -= share;
    all.agent.socket.destroy();
  }
  const { bytes } = await scene.relay.status();
  scene.must(bytes <= MAX_STORE_BYTES, `the store holds no more than it may (${bytes})`);
  scene.must(tally.of('new namespace: unavailable') > 0, 'new namespaces are refused');
  const file = statSync(join(scene.relay.dir, 'relay.sqlite')).size;
  scene.must(file <= 2 * MAX_STORE_BYTES, `its file is bounded too (${file})`);
  return tally.counts;
}

/** Sends as fast as the socket takes it, and comes again when it is closed. */
async function floodOver(scene: Scene, bytesOf: (to: Uint8Array) => Uint8Array): Promise<Counts> {
  const all = await attackers(scene);
  const device = all.devices[0] as Keys;
  const tally = new Tally();
  const agent = all.agent.socket;
  for (let sent = 0; sent < scene.attempts; ) {
    const socket = await deviceSocket(scene, all, device);
    while (sent < scene.attempts && !socket.ended) {
      const burst = Math.min(50, scene.attempts - sent);
      for (let n = 0; n < burst; n++) socket.write(bytesOf(all.agent.keys.publicKey));
      sent += burst;
      await drained(socket);
    }
    await socket.whenEnded();
    take(socket, tally);
    tally.add(`closed ${socket.closeCode ?? 'without a word'}`);
  }
  take(agent, tally);
  agent.destroy();
  scene.must(tally.of('closed 1013') > 0, 'steady excess is ended with 1013');
  return tally.counts;
}

function drained(socket: RawSocket): Promise<unknown> {
  return socket.until(() => {
    if (socket.ended || socket.socket.writableLength < MIB) return true;
    socket.socket.once('drain', () => socket.nudge());
    return false;
  });
}

/** Devices that stop reading while their agent goes on sending; one that reads is not held up. */
async function slowReaders(scene: Scene): Promise<Counts> {
  const all = await attackers(scene, 9);
  const [reader, ...slow] = await Promise.all(all.devices.map((keys) => deviceSocket(scene, all, keys)));
  for (const socket of slow) socket.socket.pause();
  const { socket: agent } = all.agent;
  const tally = new Tally();
  const times: number[] = [];
  for (let sent = 0; sent < scene.attempts; sent++) {
    agent.send(encodeFrame(sealed((all.devices[1 + (sent % slow.length)] as Keys).publicKey, true, PIECE)));
    if (sent % 10 === 0) times.push(await latency(agent, reader as RawSocket, all.devices[0] as Keys));
    if (sent % 50 === 0) {
      await settled(agent);
      take(agent, tally);
    }
  }
  await settled(agent);
  // A socket that is not read does not see its end.
  await logged(scene, TOO_SLOW, slow.length);
  for (const socket of [agent, reader as RawSocket, ...slow]) socket.destroy();
  tally.add('closed 4004', slow.length);
  tally.add('ms, p99 of the one that reads', Math.round(percentile(times, 99)));
  return tally.counts;
}

/** A connection that is not read is gone some seconds after it was closed; then the log tells of it. */
async function logged(scene: Scene, what: string, times: number): Promise<void> {
  const deadline = performance.now() + LOGGED_MS;
  while (timesLogged(scene, what) < times) {
    scene.must(performance.now() < deadline, `the log holds ${what} ${times} times`);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

function timesLogged({ log }: Scene, what: string): number {
  return log.filter((line) => line.includes(what)).length;
}

/** One live message to somebody who reads. */
async function latency(from: RawSocket, to: RawSocket, { publicKey }: Keys): Promise<number> {
  const since = performance.now();
  from.send(encodeFrame(sealed(publicKey, true, 100)));
  while ((await nextFrame(to))?.type !== 'message');
  return performance.now() - since;
}

/** Devices ask and ask, and read no answer. Each attempt is a hundred questions. */
async function unreadAnswers(scene: Scene): Promise<Counts> {
  const all = await attackers(scene, COMPANY);
  const online = await Promise.all(all.devices.map((keys) => deviceSocket(scene, all, keys)));
  const askers = online.slice(0, ASKERS);
  for (const { socket } of askers) socket.pause();
  for (let sent = 0; sent < scene.attempts; sent++) askers[sent % ASKERS]?.write(QUESTIONS);
  await logged(scene, TOO_SLOW, ASKERS);
  for (const socket of [all.agent.socket, ...online]) socket.destroy();
  return { '× 100 questions': scene.attempts, 'closed 4004': ASKERS };
}

/** Frames above the limits, each on a connection of its own. */
async function oversized(scene: Scene): Promise<Counts> {
  const all = await attackers(scene);
  const device = all.devices[0] as Keys;
  const tally = new Tally();
  const large = encodeFrame(sealed(all.agent.keys.publicKey, false, 64 * KIB));
  const head = frame(OPCODE.binary, new Uint8Array(512 * KIB + 1)).subarray(0, 8 * KIB);
  for (let n = 0; n < scene.attempts; n++) {
    const socket = await deviceSocket(scene, all, device);
    if (n % 2 === 0) socket.send(large);
    else socket.write(head);
    await socket.whenEnded();
    take(socket, tally);
    scene.must(socket.closeCode === 1009, `it is closed with 1009 (${socket.closeCode})`);
    tally.add('closed 1009');
    all.agent.socket.received.length = 0;
  }
  all.agent.socket.destroy();
  return tally.counts;
}

export const MESSAGE_ATTACKS: readonly Attack[] = [
  agentsQueue(
    'an agent fills a queue with small messages',
    100,
    '200 messages for one device: queue_full',
    200,
  ),
  agentsQueue('an agent fills a queue with large messages', PIECE, '4 MiB for one device: queue_full', 70),
  devicesQueue('a device fills the queue of its agent', 100, '64 messages: queue_full', 64),
  devicesQueue('a device fills it with large messages', PIECE, '1 MiB: queue_full', 18),
  {
    name: 'namespaces fill the store',
    limit: 'maxStoreBytes: unavailable, new namespaces above 80 %',
    settings: () => ({ maxStoreBytes: MAX_STORE_BYTES, ...FAST, ...UNLIMITED }),
    pair: { onlyLive: true },
    run: fillStore,
  },
  {
    name: 'live messages without end',
    limit: '120 at once, 10 a second; steady excess ends it, 1013',
    settings: ({ hurried }) => ({ ...UNLIMITED, ...(hurried ? { excessMs: HURRIED_EXCESS_MS } : {}) }),
    run: (scene) => floodOver(scene, (to) => frame(OPCODE.binary, encodeFrame(sealed(to, true, KIB)))),
  },
  {
    name: 'pings without end',
    limit: 'twice as many pings as messages; steady excess ends it, 1013',
    settings: ({ hurried }) => ({ ...UNLIMITED, ...(hurried ? { excessMs: HURRIED_EXCESS_MS } : {}) }),
    run: (scene) => floodOver(scene, () => frame(OPCODE.ping, new Uint8Array(125))),
  },
  {
    name: 'devices that stop reading',
    limit: '1 MiB buffered for 10 s, then 4004',
    settings: roomy,
    run: slowReaders,
  },
  {
    name: 'questions whose answers nobody reads',
    limit: '1 MiB and 64 KiB buffered, then 4004',
    settings: roomy,
    run: unreadAnswers,
  },
  {
    name: 'frames above 64 KiB queued or 512 KiB live',
    limit: 'frame sizes after login, 1009',
    settings: roomy,
    run: oversized,
  },
];
