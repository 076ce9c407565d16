/** Live messages: how many a second, and how late they are at a quarter of that. */
import { randomBytes } from 'node:crypto';
import { encodeFrame } from '@countersign/protocol';
import { median } from '../support/measure.js';
import { type Pair, p99, Traffic } from '../support/pairs.js';
import { RawSocket } from '../support/raw-socket.js';
import { loginAgent, loginDevice } from '../support/relay-peer.js';
import { type Row, rowOf, saturatedPairs } from '../support/report.js';
import type { RunOptions } from '../support/run-options.js';
import type { Load } from '../support/saturation.js';
import { type ServerProcess, startBaseline, startRelay } from '../support/server-process.js';
import { buildWorld, type Namespace, newFolder } from '../support/world.js';

const PAIRS = 32;
const MESSAGE_BYTES = 1024;
const RECEIVER = 0x80000000;
const RATE_SHARE = 0.25;

export async function live({ pairs, runMs, profile }: RunOptions): Promise<Row[]> {
  const folder = newFolder();
  const world = await buildWorld(folder.file, { namespaces: PAIRS, devices: 1 });
  const relay = await startRelay({ store: folder.file }, profile);
  const bare = await startBaseline('bare-ws');
  try {
    const ours = new Traffic(await relayPairs(relay, world));
    const theirs = new Traffic(await barePairs(bare, world));
    return await measure({ relay, bare, ours, theirs, pairs, runMs });
  } finally {
    await relay.stop();
    await bare.stop();
    folder.remove();
  }
}

interface Sides {
  readonly relay: ServerProcess;
  readonly bare: ServerProcess;
  readonly ours: Traffic;
  readonly theirs: Traffic;
  readonly pairs: number;
  readonly runMs: number;
}

async function measure({ relay, bare, ours, theirs, pairs, runMs }: Sides): Promise<Row[]> {
  await ours.flood(runMs);
  await theirs.flood(runMs);
  const rates: Rate[] = [];
  const bareRates: Rate[] = [];
  for (let pair = 0; pair < pairs; pair++) {
    rates.push(await rateOf(relay, ours, runMs));
    bareRates.push(await rateOf(bare, theirs, runMs));
  }
  const perSecond = median(bareRates.map((rate) => rate.perSecond)) * RATE_SHARE;
  const late: number[] = [];
  const bareLate: number[] = [];
  for (let pair = 0; pair < pairs; pair++) {
    late.push(p99(await ours.paced(perSecond, runMs)));
    bareLate.push(p99(await theirs.paced(perSecond, runMs)));
  }
  return [throughput(rates, bareRates), latency(late, bareLate, perSecond)];
}

export interface Rate {
  readonly perSecond: number;
  readonly perCpuSecond: number;
  readonly load: Load;
}

export async function rateOf(server: ServerProcess, traffic: Traffic, runMs: number): Promise<Rate> {
  let spent = { messages: 0, ms: 0 };
  const { load } = await server.during(async () => {
    spent = await traffic.flood(runMs);
  });
  const perSecond = (spent.messages * 1000) / spent.ms;
  return { perSecond, perCpuSecond: perSecond / (load.cpuMs / load.wallMs), load };
}

function throughput(relayRates: readonly Rate[], bareRates: readonly Rate[]): Row {
  const { ours, others, ...rest } = saturatedPairs(relayRates, bareRates);
  const wall = (rates: readonly Rate[]) => Math.round(median(rates.map(({ perSecond }) => perSecond)));
  return rowOf({
    what: `live messages a second of processor time, ${MESSAGE_BYTES} bytes, ${PAIRS} pairs`,
    unit: '/s',
    baseline: 'bare ws',
    reach: { atLeast: 0.9 },
    ours: ours.map(({ perCpuSecond }) => perCpuSecond),
    others: others.map(({ perCpuSecond }) => perCpuSecond),
    ...rest,
    note: `by the clock ${wall(ours)} and ${wall(others)}`,
  });
}

function latency(ours: readonly number[], others: readonly number[], perSecond: number): Row {
  return rowOf({
    what: `p99 latency of live messages at ${Math.round(perSecond)}/s`,
    unit: 'ms',
    baseline: 'bare ws at the same rate',
    reach: { atMost: 2 },
    ours,
    others,
  });
}

/** Agent to device, one namespace each. */
export async function relayPairs(relay: ServerProcess, world: readonly Namespace[]): Promise<Pair[]> {
  return Promise.all(
    world.map(async (namespace) => {
      const [device] = namespace.devices;
      if (device === undefined) throw new Error('a namespace without a device');
      const { socket: sender } = await loginAgent(relay.port, namespace);
      const { socket: receiver } = await loginDevice(relay.port, namespace, device);
      await receiver.settled();
      const payload = messageTo(device.publicKey, true);
      return { sender, receiver, payload, receivedBytes: payload.length };
    }),
  );
}

async function barePairs(bare: ServerProcess, world: readonly Namespace[]): Promise<Pair[]> {
  return Promise.all(
    world.map(async ({ devices: [device] }, at) => {
      const sender = await named(bare.port, at);
      const receiver = await named(bare.port, at + RECEIVER);
      const payload = messageTo(device?.publicKey ?? new Uint8Array(), true);
      return { sender, receiver, payload, receivedBytes: payload.length };
    }),
  );
}

async function named(port: number, name: number): Promise<RawSocket> {
  const socket = await RawSocket.open(port);
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(name, 0);
  socket.send(bytes);
  await socket.next();
  return socket;
}

export function messageTo(peer: Uint8Array, isLive: boolean, ref?: bigint): Uint8Array {
  const ciphertext = new Uint8Array(randomBytes(MESSAGE_BYTES));
  const nonce = new Uint8Array(randomBytes(12));
  return encodeFrame({ type: 'message', ciphertext, nonce, peer, live: isLive, ref });
}
