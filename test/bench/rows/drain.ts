/** What waits for many recipients that come at once, as after a restart. */
import { randomBytes } from 'node:crypto';
import { copyFileSync } from 'node:fs';
import { decodeFrame, encodeFrame } from '@countersign/protocol';
import type { RelayStore } from '@countersign/server/ports';
import { median } from '../support/measure.js';
import { RawSocket } from '../support/raw-socket.js';
import { authOf, challengeOf, deviceRole } from '../support/relay-peer.js';
import { type Row, rowOf } from '../support/report.js';
import type { RunOptions } from '../support/run-options.js';
import { startBaseline, startRelay } from '../support/server-process.js';
import { buildWorld, inTurns, type Namespace, newFolder } from '../support/world.js';
import { maskedFrame, OPCODE } from '../support/ws-frames.js';

const EACH = 200;
const BYTES = 1024;
const DAY_MS = 86_400_000;
const LIMITS = { messages: EACH, bytes: 1e9 };

export async function drain({ pairs, quick, profile }: RunOptions): Promise<Row[]> {
  const folder = newFolder();
  const recipients = quick ? 100 : 500;
  const world = await buildWorld(folder.file, { namespaces: recipients, devices: 1 }, fill);
  const [ours, others, costs]: [number[], number[], number[]] = [[], [], []];
  try {
    for (let pair = 0; pair < pairs; pair++) {
      const { perSecond, cpuUs } = await drainRelay(folder.file, world, profile);
      ours.push(perSecond);
      costs.push(cpuUs);
      others.push(await drainBaseline(recipients));
    }
  } finally {
    folder.remove();
  }
  return [
    rowOf({
      what: `drain of ${recipients * EACH} queued messages, ${recipients} recipients`,
      unit: '/s',
      baseline: 'read by better-sqlite3 and sent by ws alone',
      reach: { atLeast: 0.6 },
      ours,
      others,
      note: `with the logins; ${Math.round(median(costs))} µs of the relay's processor time each`,
    }),
  ];
}

async function fill(store: RelayStore, world: readonly Namespace[]): Promise<void> {
  await inTurns(world, async ({ id, agent, devices: [device] }) => {
    const now = Date.now();
    for (let at = 0; at < EACH; at++) {
      await store.enqueueWithinLimits({
        namespaceId: id,
        sender: agent.publicKey,
        recipient: device?.publicKey ?? new Uint8Array(),
        nonce: new Uint8Array(randomBytes(12)),
        ciphertext: new Uint8Array(randomBytes(BYTES)),
        now,
        expiresAt: now + DAY_MS,
        limits: LIMITS,
      });
    }
  });
}

async function drainRelay(template: string, world: readonly Namespace[], profile: readonly string[]) {
  const folder = newFolder();
  copyFileSync(template, folder.file);
  const relay = await startRelay({ store: folder.file }, profile);
  try {
    const waiting = await Promise.all(
      world.map(async ({ id, devices: [device] }) => {
        const socket = await RawSocket.open(relay.port);
        const nonce = await challengeOf(socket);
        if (device === undefined) throw new Error('a namespace without a device');
        return { socket, auth: authOf(device, deviceRole(id, device), nonce) };
      }),
    );
    const { result, load } = await relay.during(async () => {
      const began = performance.now();
      await Promise.all(waiting.map(({ socket, auth }) => takeAll(socket, auth)));
      return performance.now() - began;
    });
    const messages = world.length * EACH;
    return { perSecond: (messages * 1000) / result, cpuUs: (load.cpuMs * 1000) / messages };
  } finally {
    await relay.stop();
    folder.remove();
  }
}

async function drainBaseline(recipients: number): Promise<number> {
  const folder = newFolder();
  const server = await startBaseline('raw-drain', {
    file: folder.file,
    recipients,
    each: EACH,
    bytes: BYTES,
  });
  try {
    const waiting = await Promise.all(Array.from({ length: recipients }, () => RawSocket.open(server.port)));
    const began = performance.now();
    await Promise.all(waiting.map((socket, at) => takeAll(socket, numberOf(at))));
    return (recipients * EACH * 1000) / (performance.now() - began);
  } finally {
    await server.stop();
    folder.remove();
  }
}

function numberOf(value: number): Uint8Array {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value, 0);
  return bytes;
}

/** Says `first` and reads until all is there, confirming as a peer does. */
function takeAll(socket: RawSocket, first: Uint8Array): Promise<void> {
  return new Promise((resolve) => {
    let taken = 0;
    socket.frames((opcode, payload) => {
      if (opcode !== OPCODE.binary || payload.length < BYTES) return;
      if (++taken < EACH) return;
      const frame = decodeFrame(payload);
      if (frame?.type === 'message' && frame.seq !== undefined) {
        const received = encodeFrame({ type: 'received', seq: frame.seq });
        socket.socket.write(maskedFrame(OPCODE.binary, received, randomBytes(4)));
      }
      resolve();
    });
    socket.send(first);
  });
}
