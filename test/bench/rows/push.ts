/** Pushes: how many a second through the outbox, how much later than a bare send, and whether many devices cost more. */
import { setTimeout } from 'node:timers/promises';
import type { Notifier, PushProvider } from '@countersign/server/ports';
import { nodeClock } from '../../../server/src/adapters/runtime/node/index.js';
import { StubNotifier } from '../../support/push/stub-notifier.js';
import { type BareSender, bareApns, bareFcm, bareRate, bareWebPush } from '../support/bare-push.js';
import { median } from '../support/measure.js';
import { type GatewayReach, notifiersFor, PushRig } from '../support/push-rig.js';
import { type Row, rowOf } from '../support/report.js';
import type { RunOptions } from '../support/run-options.js';
import { type ServerProcess, startBaseline } from '../support/server-process.js';
import { buildWorld, type Namespace, newFolder } from '../support/world.js';

/** Of a sealed notification's usual class. */
const BYTES = 2_000;
const DEVICES_EACH = 32;
const FAR_MS = 1_800_000;
/** Long enough to queue what is due then. */
const SOON_MS = 3_000;
const LATENCIES = 200;
const ALLOWED_LATENCY_MS = 20;

interface Provider {
  readonly name: PushProvider;
  readonly what: string;
  readonly baseline: string;
  readonly atLeast: number;
  tokens(reach: GatewayReach): readonly string[];
  bare(reach: GatewayReach, bytes: number): BareSender;
}

const PROVIDERS: readonly Provider[] = [
  {
    name: 'apns',
    what: 'pushes by APNs',
    baseline: 'node-apn alone',
    atLeast: 0.6,
    tokens: ({ apns }) => apns.tokens,
    bare: bareApns,
  },
  {
    name: 'fcm',
    what: 'pushes by FCM',
    baseline: 'firebase-admin alone',
    atLeast: 0.8,
    tokens: ({ fcm }) => fcm.tokens,
    bare: bareFcm,
  },
  {
    name: 'webpush',
    what: 'Web Pushes',
    baseline: 'web-push and https alone',
    atLeast: 0.8,
    tokens: ({ webPush }) => webPush.tokens,
    bare: bareWebPush,
  },
];

export async function push({ pairs, quick }: RunOptions): Promise<Row[]> {
  const [each, many, most] = quick ? [640, 2_000, 10_000] : [3_200, 20_000, 100_000];
  const rows: Row[] = [];
  for (const provider of PROVIDERS) rows.push(await rates(provider, pairs, each));
  rows.push(await manyDevices(many), await latency(), await flat(most, pairs));
  return rows;
}

/** Gateways of their own, a file of its own, and so many devices in it with a token of the provider. */
async function withRig<T>(
  { name, tokens }: Provider,
  devices: number,
  work: (rig: PushRig, world: readonly Namespace[], reach: GatewayReach) => Promise<T>,
): Promise<T> {
  const folder = newFolder();
  const server: ServerProcess = await startBaseline('push-gateways');
  const reach = await server.ask<GatewayReach>({ devices });
  const world = await buildWorld(folder.file, { namespaces: devices / DEVICES_EACH, devices: DEVICES_EACH });
  const rig = await PushRig.open(folder.file, await notifiersFor(reach));
  try {
    await rig.register(world, name, tokens(reach));
    return await work(rig, world, reach);
  } finally {
    await rig.close();
    await server.stop();
    folder.remove();
  }
}

async function rates(provider: Provider, pairs: number, devices: number): Promise<Row> {
  const [ours, others]: [number[], number[]] = [[], []];
  for (let pair = 0; pair < pairs; pair++) {
    await withRig(provider, devices, async (rig, world, reach) => {
      await rig.queue(world, devices, BYTES, Date.now() + FAR_MS);
      await warm(provider, reach);
      ours.push(await drained(rig, world, devices));
      const bare = provider.bare(reach, BYTES);
      others.push(await bareRate(bare, provider.tokens(reach)));
      await bare.close();
    });
  }
  const { what, baseline, atLeast } = provider;
  return rowOf({
    what: `${what} through the outbox, ${devices} due at once`,
    unit: '/s',
    baseline,
    reach: { atLeast },
    ours,
    others,
  });
}

/** Nobody is measured while the gateways' code is cold. */
async function warm({ bare, tokens }: Provider, reach: GatewayReach): Promise<void> {
  const sender = bare(reach, BYTES);
  await bareRate(sender, tokens(reach).slice(0, 200));
  await sender.close();
}

/** Everything that waits is due now: pushes a second until the last is accepted. */
async function drained(rig: PushRig, world: readonly Namespace[], count: number): Promise<number> {
  const before = rig.tally.accepted;
  for (const { id, devices } of world) {
    await Promise.all(
      devices.map(({ publicKey }) => rig.store.hastenPushes(id, publicKey, [...SEQS], Date.now())),
    );
  }
  const began = performance.now();
  rig.start();
  await rig.accepted(before + count);
  return (count * 1_000) / (performance.now() - began);
}

/** Numbers of a namespace's messages, of which each device has one. */
const SEQS = Array.from({ length: DEVICES_EACH }, (_, at) => at + 1);

async function manyDevices(count: number): Promise<Row> {
  const devices = count - (count % DEVICES_EACH);
  return withRig(PROVIDERS[0] as Provider, devices, async (rig, world) => {
    globalThis.gc?.();
    const before = process.memoryUsage().rss;
    await rig.queue(world, devices, BYTES, Date.now() + FAR_MS);
    let peak = 0;
    const watch = setInterval(() => {
      peak = Math.max(peak, process.memoryUsage().rss - before);
    }, 20);
    await drained(rig, world, devices);
    clearInterval(watch);
    const note = `${Math.round(peak / 1024 ** 2)} MB more memory at the most, ${rig.tally.other} answers other than accepted`;
    return rowOf({
      ...{
        what: 'devices pushed to at once, accepted',
        unit: '',
        baseline: 'devices',
        reach: { atLeast: 1 },
        note,
      },
      ...{ ours: [rig.tally.accepted], others: [devices] },
    });
  });
}

/** One push at a time: from its message to the provider's answer, less a bare send. */
async function latency(): Promise<Row> {
  const provider = PROVIDERS[0] as Provider;
  return withRig(provider, DEVICES_EACH * 10, async (rig, world, reach) => {
    rig.start();
    const bare = provider.bare(reach, BYTES);
    const [through, direct]: [number[], number[]] = [[], []];
    const devices = world.flatMap(({ id, agent, devices: all }) =>
      all.map((device) => ({ id, agent, device })),
    );
    for (let at = 0; at < LATENCIES; at++) {
      const { id, agent, device } = devices[at % devices.length] as (typeof devices)[number];
      const began = performance.now();
      await rig.one(id, agent.publicKey, device.publicKey, BYTES);
      await rig.accepted(at + 1);
      const between = performance.now();
      await bare.send(provider.tokens(reach)[at] as string);
      through.push(between - began);
      direct.push(performance.now() - between);
    }
    await bare.close();
    return rowOf({
      what: 'time the outbox adds to a push, its durable write included (median)',
      ...{ unit: 'ms', baseline: 'allowed', reach: { atMost: 1 } },
      ...{ ours: [median(through) - median(direct)], others: [ALLOWED_LATENCY_MS] },
    });
  });
}

/** The same pushes with few and with many devices whose pushes wait. */
async function flat(most: number, pairs: number): Promise<Row> {
  const [few, many] = [await pushesAmong(100, pairs), await pushesAmong(most, pairs)];
  return rowOf({
    what: `pushes with ${most.toLocaleString('en-US')} devices that wait, and no network`,
    ...{ unit: '/s', baseline: 'the same with 100', reach: { atLeast: 0.8 } },
    ...{ ours: many, others: few },
  });
}

async function pushesAmong(waiting: number, pairs: number): Promise<number[]> {
  const folder = newFolder();
  const namespaces = Math.max(1, Math.ceil(waiting / DEVICES_EACH));
  const world = await buildWorld(folder.file, { namespaces, devices: DEVICES_EACH });
  const due = await buildWorld(folder.file, { namespaces: 32, devices: DEVICES_EACH });
  const stub: Notifier = new StubNotifier(nodeClock);
  const rig = await PushRig.open(folder.file, [stub]);
  try {
    await rig.register(world, 'webpush', ['stub-1']);
    await rig.register(due, 'webpush', ['stub-2']);
    await rig.queue(world, namespaces * DEVICES_EACH, 100, Date.now() + FAR_MS);
    rig.start();
    const found: number[] = [];
    for (let pair = 0; pair <= pairs; pair++) {
      const before = rig.tally.accepted;
      const dueAt = Date.now() + SOON_MS;
      await rig.queue(due, 32 * DEVICES_EACH, 100, dueAt);
      await setTimeout(Math.max(0, dueAt - Date.now()));
      const began = performance.now();
      await rig.accepted(before + 32 * DEVICES_EACH);
      found.push((32 * DEVICES_EACH * 1_000) / (performance.now() - began));
    }
    return found.slice(1);
  } finally {
    await rig.close();
    folder.remove();
  }
}
