/** Peers that are logged in and send too much, too large. Must not know logins' rules. */
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { encodeFrame } from '@countersign/protocol';
import type { Keys } from '../../support/relay/raw-peer.js';
import { sealed } from '../../support/relay/relay-scene.js';
import { frame, OPCODE, type RawSocket } from '../../support/trials/raw-socket.js';
import { type Attack, type Counts, type Scene, Tally } from '../attack.js';
import { attackers, deviceSocket, settled, take, until } from './attackers.js';
import { FAST, roomy, UNLIMITED } from './settings.js';

const KIB = 1024;
const MIB = 1024 * KIB;
const PIECE = 60_000;
const MAX_STORE_BYTES = 16 * MIB;
const HURRIED_EXCESS_MS = 1500;

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
    name: 'frames above 64 KiB queued or 512 KiB live',
    limit: 'frame sizes after login, 1009',
    settings: roomy,
    run: oversized,
  },
];
