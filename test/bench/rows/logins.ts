/** Every device comes back at once after a restart; and what memory each holds afterwards, idle. */

import { type SigningKey, signWith } from '../support/keys.js';
import { median } from '../support/measure.js';
import { RawSocket } from '../support/raw-socket.js';
import { loginDevice } from '../support/relay-peer.js';
import { type Row, rowOf, saturatedPairs } from '../support/report.js';
import type { RunOptions } from '../support/run-options.js';
import type { Load } from '../support/saturation.js';
import { type ServerProcess, startBaseline, startRelay } from '../support/server-process.js';
import { buildWorld, inTurns, type Namespace, newFolder } from '../support/world.js';

const DEVICES = 10;
const AT_ONCE = 128;

interface Login {
  readonly namespace: Namespace;
  readonly device: SigningKey;
}

interface Run {
  /** A second of processor time. */
  readonly perCpuSecond: number;
  readonly perSecond: number;
  readonly load: Load;
  readonly bytesEach: number;
  readonly heapEach: number;
  readonly buffersEach: number;
}

export async function logins({ pairs, quick, profile }: RunOptions): Promise<Row[]> {
  const folder = newFolder();
  const world = await buildWorld(folder.file, { namespaces: quick ? 100 : 1000, devices: DEVICES });
  const all = world.flatMap((namespace) => namespace.devices.map((device) => ({ namespace, device })));
  const [ours, others]: [Run[], Run[]] = [[], []];
  try {
    for (let pair = 0; pair < pairs; pair++) {
      const relay = await startRelay({ store: folder.file }, profile);
      ours.push(await run(relay, all, atRelay));
      others.push(await run(await startBaseline('bare-login'), all, atBaseline));
    }
  } finally {
    folder.remove();
  }
  return [rate(all.length, ours, others), memory(all.length, ours, others)];
}

type LoginAt = (port: number, login: Login) => Promise<RawSocket>;

const atRelay: LoginAt = async (port, { namespace, device }) =>
  (await loginDevice(port, namespace, device)).socket;

const atBaseline: LoginAt = async (port, { device }) => {
  const socket = await RawSocket.open(port);
  const nonce = await socket.next();
  socket.send(Buffer.concat([device.publicKey, signWith(device, nonce)]));
  await socket.next();
  return socket;
};

async function run(server: ServerProcess, all: readonly Login[], login: LoginAt): Promise<Run> {
  const sockets: RawSocket[] = [];
  try {
    const before = await server.usage();
    const { load } = await server.during(() =>
      inTurns(all, async (each) => sockets.push(await login(server.port, each)), AT_ONCE),
    );
    const after = await server.usage();
    const each = (of: (memory: typeof after.memory) => number) =>
      (of(after.memory) - of(before.memory)) / all.length;
    return {
      perCpuSecond: (all.length * 1000) / load.cpuMs,
      perSecond: (all.length * 1000) / load.wallMs,
      load,
      bytesEach: each(({ rss }) => rss),
      heapEach: each(({ heapUsed }) => heapUsed),
      buffersEach: each(({ external }) => external),
    };
  } finally {
    for (const socket of sockets) socket.close();
    await server.stop();
  }
}

function rate(count: number, relayRuns: readonly Run[], bareRuns: readonly Run[]): Row {
  const { ours, others, ...rest } = saturatedPairs(relayRuns, bareRuns);
  const wall = (runs: readonly Run[]) => Math.round(median(runs.map(({ perSecond }) => perSecond)));
  return rowOf({
    what: `logins a second of processor time, ${count} devices after a restart`,
    unit: '/s',
    baseline: 'bare ws, 32 bytes sent and one signature verified',
    reach: { atLeast: 0.6 },
    ours: ours.map(({ perCpuSecond }) => perCpuSecond),
    others: others.map(({ perCpuSecond }) => perCpuSecond),
    ...rest,
    note: `by the clock ${wall(ours)} and ${wall(others)}`,
  });
}

function memory(count: number, ours: readonly Run[], others: readonly Run[]): Row {
  const kib = (runs: readonly Run[], of: (run: Run) => number) => median(runs.map(of)) / 1024;
  const heap = kib(ours, ({ heapEach }) => heapEach).toFixed(1);
  const buffers = kib(ours, ({ buffersEach }) => buffersEach).toFixed(1);
  const bareHeap = kib(others, ({ heapEach }) => heapEach).toFixed(1);
  return rowOf({
    what: `resident memory of an idle connection, ${count} logged in`,
    unit: 'KiB',
    baseline: 'bare ws',
    reach: { atMost: 1.6 },
    ours: ours.map(({ bytesEach }) => bytesEach / 1024),
    others: others.map(({ bytesEach }) => bytesEach / 1024),
    note: `JavaScript objects ${heap} KiB, buffers ${buffers} KiB; of bare ws objects ${bareHeap} KiB`,
  });
}
