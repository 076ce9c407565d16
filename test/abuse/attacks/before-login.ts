/** Connections that never log in, or log in badly. Must not know logged-in peers. */
import { encodeFrame } from '@countersign/protocol';
import { agentRole, newKeys } from '../../support/relay/raw-peer.js';
import { nextFrame, rawLogin } from '../../support/trials/raw-login.js';
import { frame, OPCODE, RawSocket, upgradeRequest } from '../../support/trials/raw-socket.js';
import { type Attack, type AttackOptions, addressOf, repeat, type Scene, Tally } from '../attack.js';
import { plain } from './settings.js';

const AT_ONCE = 16;
const PLACES = 1000;
const HURRIED_PLACES = 100;
const HURRIED_DEADLINE_MS = 500;
const KIB = 1024;
const MAX_FRAME = 64 * KIB;
const NEWCOMER = '127.0.0.8';

const placesOf = ({ hurried }: AttackOptions): number => (hurried ? HURRIED_PLACES : PLACES);
const crowd = (options: AttackOptions) => ({ maxConnectionsBeforeLogin: placesOf(options) });

/** An agent that comes amid the crowd gets in, whoever holds the places. */
async function newcomerGetsIn({ port, must }: Scene): Promise<void> {
  const keys = newKeys();
  const { socket, answer } = await rawLogin({ port, from: NEWCOMER }, keys, agentRole(keys));
  must(answer === 'auth_ok', `a newcomer gets in (${answer})`);
  socket.destroy();
}

/** Opens one connection each time and leaves it to itself; every hundredth time a newcomer comes. */
async function hold(scene: Scene, open: (index: number) => Promise<RawSocket>): Promise<RawSocket[]> {
  const held: RawSocket[] = [];
  await repeat(scene.attempts, AT_ONCE, async (index) => {
    held.push(await open(index));
    if (index % 100 === 99) await newcomerGetsIn(scene);
  });
  return held;
}

/** How those that were held have ended by now. */
function endsOf(held: readonly RawSocket[]): Tally {
  const tally = new Tally();
  for (const socket of held)
    tally.add(socket.ended ? `closed ${socket.closeCode ?? 'without a word'}` : 'open');
  return tally;
}

/** Says one thing, and waits for the end. */
async function sayAndEnd({ port }: Scene, index: number, bytes: readonly Uint8Array[]): Promise<string> {
  const { socket, upgraded } = await RawSocket.open({ port, from: addressOf(index) });
  if (upgraded.status !== 101) return `http ${upgraded.status}`;
  await nextFrame(socket);
  for (const piece of bytes) socket.write(piece);
  const answer = await nextFrame(socket);
  await socket.whenEnded();
  return answer?.type === 'auth_error' ? answer.code : `closed ${socket.closeCode ?? 'without a word'}`;
}

function saying(
  name: string,
  limit: string,
  what: (index: number) => readonly Uint8Array[],
  expected: RegExp,
  atOnce = AT_ONCE,
): Attack {
  return {
    name,
    limit,
    settings: plain,
    async run(scene) {
      const tally = new Tally();
      await repeat(scene.attempts, atOnce, async (index) => {
        tally.add(await sayAndEnd(scene, index, what(index)));
      });
      for (const answer of Object.keys(tally.counts))
        scene.must(expected.test(answer), `it is answered ${answer}`);
      return tally.counts;
    },
  };
}

/** 4 KiB of them. */
const PINGS = Buffer.concat(Array.from({ length: 32 }, () => frame(OPCODE.ping, new Uint8Array(125))));

const GARBAGE = frame(OPCODE.binary, Buffer.from('no'));
const TOO_LARGE = frame(OPCODE.binary, new Uint8Array(MAX_FRAME + 1));
/** Of which only the head and a first piece come. */
const FAR_TOO_LARGE = frame(OPCODE.binary, new Uint8Array(512 * KIB + 1)).subarray(0, 16 * KIB);
const FIRST_PIECE = frame(OPCODE.binary, new Uint8Array(60 * KIB), false);
const PIECES_OF_NOTHING = [
  frame(OPCODE.binary, new Uint8Array(1), false),
  Buffer.concat(Array.from({ length: 2000 }, () => frame(OPCODE.continuation, new Uint8Array(0), false))),
];

export const BEFORE_LOGIN_ATTACKS: readonly Attack[] = [
  {
    name: 'connections from everywhere that say nothing',
    limit: 'connections without a login in all; the oldest makes room',
    settings: crowd,
    async run(scene) {
      const places = placesOf(scene);
      const held = await hold(
        scene,
        async (index) => (await RawSocket.open({ port: scene.port, from: addressOf(index) })).socket,
      );
      const { beforeLogin } = await scene.relay.status();
      scene.must(beforeLogin <= places, `${places} wait at most (${beforeLogin})`);
      const tally = endsOf(held);
      scene.must(tally.of('open') <= places, 'the oldest have made room');
      for (const socket of held) socket.destroy();
      return tally.counts;
    },
  },
  {
    name: 'connections from everywhere that begin an HTTP request',
    limit: 'connections without an upgrade in all; the oldest makes room',
    settings: crowd,
    async run(scene) {
      const places = placesOf(scene);
      const handles = scene.relay.handles();
      const held = await hold(scene, async (index) => {
        const socket = new RawSocket({ port: scene.port, from: addressOf(index) });
        socket.write(Buffer.from(upgradeRequest({ port: scene.port }).slice(0, 40)));
        await socket.until(() => socket.ended || !socket.socket.connecting);
        return socket;
      });
      await newcomerGetsIn(scene);
      const more = scene.relay.handles() - handles;
      scene.must(more <= places + AT_ONCE, `${places} are open at most (${more})`);
      const { counts } = endsOf(held);
      for (const socket of held) socket.destroy();
      return counts;
    },
  },
  {
    name: 'logins that idle',
    limit: 'login deadline: challenge_timeout',
    settings: ({ hurried }) => ({
      maxConnectionsBeforeLogin: 1_000_000,
      ...(hurried ? { loginDeadlineMs: HURRIED_DEADLINE_MS } : {}),
    }),
    async run(scene) {
      const tally = new Tally();
      await repeat(scene.attempts, scene.hurried ? 500 : 2500, async (index) => {
        const { socket } = await RawSocket.open({ port: scene.port, from: addressOf(index) });
        await nextFrame(socket);
        const answer = await nextFrame(socket);
        tally.add(answer?.type === 'auth_error' ? answer.code : 'ended');
        await socket.whenEnded();
      });
      scene.must(tally.of('challenge_timeout') === scene.attempts, 'each is told that its time is up');
      return tally.counts;
    },
  },
  saying('garbage instead of a login', 'bad_request', () => [GARBAGE], /^bad_request$/),
  saying(
    'a first frame of 64 KiB and one byte',
    'frame before login 64 KiB',
    () => [TOO_LARGE],
    /^(bad_request|closed (1008|without a word))$/,
  ),
  saying(
    'the beginning of a first frame of 512 KiB and one byte',
    'refused by its head',
    () => [FAR_TOO_LARGE],
    /^(bad_request|closed (1009|1008|without a word))$/,
  ),
  saying(
    'pings without end before a login',
    'one frame and 4 KiB before a login: bad_request',
    // Most of them between the pieces of a frame that never ends: each ping there is costs an answer.
    (index) =>
      index % 10 === 0 ? Array.from({ length: 20 }, () => PINGS) : [FIRST_PIECE, PINGS, PINGS, PINGS],
    /^(bad_request|closed (1008|without a word))$/,
    // Each may read for a second why it is refused.
    200,
  ),
  saying(
    'a first frame in pieces of nothing',
    'pieces of a message',
    () => PIECES_OF_NOTHING,
    /^(bad_request|closed (1008|1009|1002|without a word))$/,
  ),
  {
    name: 'logins with a signature that is none',
    limit: 'invalid_signature',
    settings: plain,
    async run(scene) {
      const tally = new Tally();
      const keys = newKeys();
      await repeat(scene.attempts, AT_ONCE, async (index) => {
        const signature = new Uint8Array(64).fill(index % 256);
        const where = { port: scene.port, from: addressOf(index) };
        const { socket, answer } = await rawLogin(where, keys, agentRole(keys), { signature });
        tally.add(answer);
        socket.destroy();
      });
      scene.must(tally.of('invalid_signature') === scene.attempts, 'each is refused');
      return tally.counts;
    },
  },
  {
    name: 'the same agent logs in again and again',
    limit: 'one connection per key: the older is displaced, 4001',
    settings: plain,
    async run(scene) {
      const [tally, keys, held] = [new Tally(), newKeys(), [] as RawSocket[]];
      await repeat(scene.attempts, AT_ONCE, async (index) => {
        const where = { port: scene.port, from: addressOf(index) };
        const { socket, answer } = await rawLogin(where, keys, agentRole(keys));
        scene.must(
          answer === 'auth_ok' || socket.closeCode === 4001,
          `each gets in or is displaced (${answer})`,
        );
        socket.send(encodeFrame({ type: 'presence_request' }));
        held.push(socket);
      });
      await Promise.all(held.slice(0, -AT_ONCE).map((socket) => socket.whenEnded()));
      const { connections } = await scene.relay.status();
      scene.must(connections <= 2 + AT_ONCE, 'the displaced are gone');
      for (const socket of held) {
        tally.add(socket.ended ? `closed ${socket.closeCode}` : 'open');
        socket.destroy();
      }
      return tally.counts;
    },
  },
];
