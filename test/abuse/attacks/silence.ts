/** Peers that are logged in and do not read, or say nothing. Must not know logins' rules. */
import { encodeFrame } from '@countersign/protocol';
import { agentRole, type Keys, newKeys } from '../../support/relay/raw-peer.js';
import { sealed } from '../../support/relay/relay-scene.js';
import { percentile } from '../../support/trials/healthy-pair.js';
import { nextFrame, rawLogin } from '../../support/trials/raw-login.js';
import { frame, OPCODE, type RawSocket } from '../../support/trials/raw-socket.js';
import { type Attack, addressOf, type Counts, repeat, type Scene, Tally } from '../attack.js';
import { attackers, deviceSocket, settled, take } from './attackers.js';
import { roomy } from './settings.js';

const HURRIED_IDLE = { idleMs: 10_000, pingEveryMs: 2000 };
const HURRIED_AT_ONCE = 1000;
const AT_ONCE = 2500;
const LOGGED_MS = 30_000;
const TOO_SLOW = '"closeCode":4004';
/** Devices of which an answer tells. */
const COMPANY = 16;
const ASKERS = 4;
const QUESTIONS = Buffer.concat(
  Array.from({ length: 100 }, () => frame(OPCODE.binary, encodeFrame({ type: 'presence_request' }))),
);
const PIECE = 60_000;

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

/** Agents that log in and neither say anything nor answer a ping. */
async function idle(scene: Scene): Promise<Counts> {
  const tally = new Tally();
  await repeat(scene.attempts, scene.hurried ? HURRIED_AT_ONCE : AT_ONCE, async (index) => {
    const keys = newKeys();
    const where = { port: scene.port, from: addressOf(index) };
    const { socket, answer } = await rawLogin(where, keys, agentRole(keys));
    scene.must(answer === 'auth_ok', `each logs in (${answer})`);
    socket.answersPings = false;
    await socket.whenEnded();
    tally.add(`closed ${socket.closeCode ?? 'without a word'}`);
  });
  scene.must(tally.of('closed 4003') === scene.attempts, 'each is closed with 4003');
  return tally.counts;
}

export const SILENCE_ATTACKS: readonly Attack[] = [
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
    name: 'logged-in connections that say nothing',
    limit: 'idle 120 s: 4003',
    settings: ({ hurried }) => ({ maxConnectionsBeforeLogin: 1_000_000, ...(hurried ? HURRIED_IDLE : {}) }),
    run: idle,
  },
];
