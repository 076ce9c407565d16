/** What a message costs when there are many namespaces and much waits, beside a relay that knows few. */
import { randomBytes } from 'node:crypto';
import type { RelayStore } from '@countersign/server/ports';
import { Traffic } from '../support/pairs.js';
import { type Row, rowOf, saturatedPairs } from '../support/report.js';
import type { RunOptions } from '../support/run-options.js';
import { type ServerProcess, startBaseline, startRelay } from '../support/server-process.js';
import { addDevices, buildWorld, inTurns, newFolder } from '../support/world.js';
import { acceptsOf, perSecond, QUEUED_BYTES, rawInserts } from './durable.js';
import { type Rate, rateOf, relayPairs } from './live.js';

const PAIRS = 32;
const SENDERS = 64;
const DEVICES = 16;
/** One namespace in so many has a device and a queue. */
const WITH_QUEUE = 10;
const QUEUE = 100;
const QUEUED_FILLER_BYTES = 128;
const FILLER_BATCH = 10_000;
const DAY_MS = 86_400_000;

interface Site {
  readonly namespaces: number;
  readonly relay: ServerProcess;
  readonly raw: ServerProcess;
  readonly traffic: Traffic;
  readonly accepts: Awaited<ReturnType<typeof acceptsOf>>;
  close(): Promise<void>;
}

export async function scale(options: RunOptions): Promise<Row[]> {
  const sizes = options.quick ? [10, 1000] : [10, 100_000];
  const sites: Site[] = [];
  try {
    for (const size of sizes) sites.push(await openSite(size, options.profile));
    return await measure(sites, options);
  } finally {
    for (const site of sites) await site.close();
  }
}

async function measure([few, many]: readonly Site[], { pairs, quick, runMs }: RunOptions): Promise<Row[]> {
  if (few === undefined || many === undefined) throw new Error('two sizes are needed');
  for (const site of [few, many]) await site.traffic.flood(runMs);
  const [fewRates, manyRates]: [Rate[], Rate[]] = [[], []];
  for (let pair = 0; pair < pairs; pair++) {
    manyRates.push(await rateOf(many.relay, many.traffic, runMs));
    fewRates.push(await rateOf(few.relay, few.traffic, runMs));
  }
  const rows = [liveRow(many, manyRates, few, fewRates)];
  for (const site of [few, many]) rows.push(await acceptRow(site, pairs, quick ? 50 : 150));
  return rows;
}

function liveRow(many: Site, manyRates: readonly Rate[], few: Site, fewRates: readonly Rate[]): Row {
  const { ours, others, ...rest } = saturatedPairs(manyRates, fewRates);
  return rowOf({
    what: `live messages a second of processor time among ${many.namespaces} namespaces`,
    unit: '/s',
    baseline: `among ${few.namespaces}`,
    reach: { atLeast: 0.8 },
    ours: ours.map(({ perCpuSecond }) => perCpuSecond),
    others: others.map(({ perCpuSecond }) => perCpuSecond),
    ...rest,
  });
}

async function acceptRow(site: Site, pairs: number, each: number): Promise<Row> {
  const [ours, others]: [number[], number[]] = [[], []];
  for (let pair = 0; pair < pairs; pair++) {
    const spent = await site.accepts.run(each, QUEUED_BYTES);
    ours.push(perSecond(spent));
    others.push(perSecond(await rawInserts(site.raw, spent.messages)));
  }
  return rowOf({
    what: `durable accepts a second among ${site.namespaces} namespaces, ${rowsOf(site.namespaces)} queued`,
    unit: '/s',
    baseline: 'better-sqlite3 alone, as many rows',
    reach: { atLeast: 0.5 },
    ours,
    others,
  });
}

const rowsOf = (namespaces: number): number => Math.ceil(namespaces / WITH_QUEUE) * QUEUE;

async function openSite(namespaces: number, profile: readonly string[]): Promise<Site> {
  const [folder, rawFolder] = [newFolder(), newFolder()];
  const world = await buildWorld(folder.file, { namespaces: PAIRS + SENDERS, devices: DEVICES }, (store) =>
    addFillers(store, namespaces),
  );
  const filler = { insert: rowsOf(namespaces), batch: FILLER_BATCH, bytes: QUEUED_FILLER_BYTES };
  const raw = await startBaseline('raw-store', { file: rawFolder.file, filler });
  const relay = await startRelay({ store: folder.file }, profile);
  const traffic = new Traffic(await relayPairs(relay, world.slice(0, PAIRS)));
  const accepts = await acceptsOf(relay, world.slice(PAIRS));
  const close = async () => {
    await relay.stop();
    await raw.stop();
    folder.remove();
    rawFolder.remove();
  };
  return { namespaces, relay, raw, traffic, accepts, close };
}

/** Namespaces nobody connects to, some with a full queue. */
async function addFillers(store: RelayStore, count: number): Promise<void> {
  await inTurns(
    Array.from({ length: count }, (_, at) => at),
    async (at) => {
      const [id, agent, device] = [random(32), random(32), random(32)];
      await store.touchNamespace(id, agent, Date.now(), true);
      if (at % WITH_QUEUE !== 0) return;
      await addDevices(store, id, [device]);
      await Promise.all(Array.from({ length: QUEUE }, () => enqueue(store, id, agent, device)));
    },
    100,
  );
}

function enqueue(store: RelayStore, namespaceId: Uint8Array, sender: Uint8Array, recipient: Uint8Array) {
  const now = Date.now();
  return store.enqueueWithinLimits({
    namespaceId,
    sender,
    recipient,
    nonce: random(12),
    ciphertext: random(QUEUED_FILLER_BYTES),
    now,
    expiresAt: now + DAY_MS,
    limits: { messages: QUEUE, bytes: 1e9 },
  });
}

const random = (length: number): Uint8Array => new Uint8Array(randomBytes(length));
