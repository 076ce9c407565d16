/** Queued messages: how many a second are accepted, and what live messages notice of it. */
import { Accepts, type Spent } from '../support/accepts.js';
import { median } from '../support/measure.js';
import { p99, Traffic } from '../support/pairs.js';
import { loginAgent } from '../support/relay-peer.js';
import { type Row, rowOf } from '../support/report.js';
import type { RunOptions } from '../support/run-options.js';
import { type ServerProcess, startBaseline, startRelay } from '../support/server-process.js';
import { buildWorld, type Namespace, newFolder } from '../support/world.js';
import { relayPairs } from './live.js';

const SENDERS = 64;
/** Recipients of each sender: offline, so that all of it stays in the store. */
const DEVICES = 32;
const BATCH = 64;
const LIVE_PAIRS = 8;
const LIVE_PER_SECOND = 500;
export const QUEUED_BYTES = 1024;

export async function durable({ pairs, quick, profile }: RunOptions): Promise<Row[]> {
  const folder = newFolder();
  const rawFolder = newFolder();
  const world = await buildWorld(folder.file, { namespaces: SENDERS + LIVE_PAIRS, devices: DEVICES });
  const relay = await startRelay(
    { store: folder.file, agentQueueMessages: 1_000_000_000, agentQueueBytes: 1e12 },
    profile,
  );
  const raw = await startBaseline('raw-store', { file: rawFolder.file });
  try {
    const senders = await acceptsOf(relay, world.slice(0, SENDERS));
    const traffic = new Traffic(await relayPairs(relay, world.slice(SENDERS)));
    return await measure({ relay, raw, senders, traffic, pairs, each: quick ? 100 : 500 });
  } finally {
    await relay.stop();
    await raw.stop();
    folder.remove();
    rawFolder.remove();
  }
}

interface Sides {
  readonly relay: ServerProcess;
  readonly raw: ServerProcess;
  readonly senders: Accepts;
  readonly traffic: Traffic;
  readonly pairs: number;
  readonly each: number;
}

async function measure({ relay, raw, senders, traffic, pairs, each }: Sides): Promise<Row[]> {
  await senders.run(each, QUEUED_BYTES);
  await traffic.paced(LIVE_PER_SECOND, 500);
  const [ours, others, costs, idle, beside]: [number[], number[], number[], number[], number[]] = [
    [],
    [],
    [],
    [],
    [],
  ];
  for (let pair = 0; pair < pairs; pair++) {
    const { result, load } = await relay.during(() => senders.run(each, QUEUED_BYTES));
    ours.push(perSecond(result));
    costs.push((load.cpuMs * 1000) / result.messages);
    others.push(perSecond(await rawInserts(raw, result.messages)));
    idle.push(p99(await traffic.paced(LIVE_PER_SECOND, result.ms)));
    beside.push(await lateBeside(senders.run(each, QUEUED_BYTES), traffic, result.ms));
  }
  return [accepts(ours, others, costs), lateness(beside, idle)];
}

async function lateBeside(accepting: Promise<Spent>, traffic: Traffic, ms: number): Promise<number> {
  const late = p99(await traffic.paced(LIVE_PER_SECOND, ms));
  await accepting;
  return late;
}

export async function rawInserts(raw: ServerProcess, messages: number): Promise<Spent> {
  const { ms } = await raw.ask<{ ms: number }>({ insert: messages, batch: BATCH, bytes: QUEUED_BYTES });
  return { messages, ms };
}

export const perSecond = ({ messages, ms }: Spent): number => (messages * 1000) / ms;

/** The disk is part of this figure, so a server that waits for it is no reason to void it. */
function accepts(ours: readonly number[], others: readonly number[], costs: readonly number[]): Row {
  return rowOf({
    what: `durable accepts a second, ${QUEUED_BYTES} bytes, ${SENDERS} senders with 4 under way`,
    unit: '/s',
    baseline: `better-sqlite3 alone, ${BATCH} rows to a commit`,
    reach: { atLeast: 0.5 },
    ours,
    others,
    note: `${Math.round(median(costs))} µs of the relay's processor time each, the rest is the disk`,
  });
}

function lateness(beside: readonly number[], idle: readonly number[]): Row {
  return rowOf({
    what: `p99 latency of ${LIVE_PER_SECOND} live messages a second meanwhile`,
    unit: 'ms',
    baseline: 'the same without',
    reach: { atMost: 3 },
    ours: beside,
    others: idle,
  });
}

export async function acceptsOf(relay: ServerProcess, world: readonly Namespace[]): Promise<Accepts> {
  const senders = world.map(async (namespace) => {
    const { socket, capabilities } = await loginAgent(relay.port, namespace);
    if (!capabilities.includes('ref')) throw new Error('this relay does not say what it accepted');
    await socket.settled();
    return { socket, recipients: namespace.devices.map(({ publicKey }) => publicKey) };
  });
  return new Accepts(await Promise.all(senders));
}
