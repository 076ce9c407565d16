/** Who would register, pair or guess. Must not know messages. */
import { randomBytes } from 'node:crypto';
import { encodeFrame } from '@countersign/protocol';
import { agentRole, type Keys, namespaceIdOf, newKeys, pairingRole } from '../../support/relay/raw-peer.js';
import { nextFrame, rawLogin } from '../../support/trials/raw-login.js';
import type { RawSocket } from '../../support/trials/raw-socket.js';
import { type Attack, addressOf, type Counts, repeat, type Scene, Tally } from '../attack.js';
import { roomy } from './settings.js';

const AT_ONCE = 8;
const INVITE = 'an invite of some length';
const GUESSES_PER_MINUTE = 10;
const NEW_PER_DAY = 10;
const MAX_PENDING = 16;
const MINUTE_MS = 60_000;
const ATTACKER = '127.0.0.9';
const FRIEND = '127.0.0.8';
const openToAll = () => ({
  registration: 'open' as const,
  publicHosts: ['relay.example'],
  newConnectionsPerAddressPerMinute: 1_000_000,
});

/** New agents, each with keys of its own. */
async function register(
  scene: Scene,
  from: (index: number) => string,
  inviteOf?: (index: number) => string,
): Promise<Tally> {
  const tally = new Tally();
  await repeat(scene.attempts, AT_ONCE, async (index) => {
    const keys = newKeys();
    const where = { port: scene.port, from: from(index) };
    const extras = inviteOf === undefined ? {} : { invite: inviteOf(index) };
    const { socket, answer } = await rawLogin(where, keys, agentRole(keys), extras);
    tally.add(answer);
    socket.destroy();
  });
  return tally;
}

/** The pair's namespace is the only one the relay has stored. */
async function onlyThePairIsStored({ relay, must }: Scene): Promise<void> {
  const { namespaces } = await relay.status();
  must(namespaces === 1, `nothing of it is stored (${namespaces} namespaces)`);
}

/** An agent with its connection. */
async function openAgent({
  port,
}: Scene): Promise<{ socket: RawSocket; namespaceId: Uint8Array; keys: Keys }> {
  const keys = newKeys();
  const { socket } = await rawLogin({ port, from: FRIEND }, keys, agentRole(keys));
  return { socket, keys, namespaceId: await namespaceIdOf(keys.publicKey) };
}

async function openWindow(agent: RawSocket): Promise<Uint8Array> {
  const token = new Uint8Array(randomBytes(32));
  agent.send(encodeFrame({ type: 'pairing_start', pairingToken: token, ttl: 600 }));
  while ((await nextFrame(agent))?.type !== 'pairing_ready');
  return token;
}

async function pair(scene: Scene, namespaceId: Uint8Array, token: Uint8Array, from: string): Promise<string> {
  const keys = newKeys();
  const role = pairingRole(keys, { namespaceId, token });
  const { socket, answer } = await rawLogin({ port: scene.port, from }, keys, role);
  socket.destroy();
  return answer;
}

async function guess(scene: Scene): Promise<Counts> {
  const agent = await openAgent(scene);
  const token = await openWindow(agent.socket);
  const since = performance.now();
  const tally = new Tally();
  await repeat(scene.attempts, AT_ONCE, async () => {
    tally.add(await pair(scene, agent.namespaceId, new Uint8Array(randomBytes(32)), ATTACKER));
  });
  const minutes = Math.floor((performance.now() - since) / MINUTE_MS) + 1;
  const heard = tally.of('pairing_closed');
  scene.must(
    heard <= GUESSES_PER_MINUTE * minutes,
    `${GUESSES_PER_MINUTE} guesses a minute are heard (${heard})`,
  );
  scene.must(heard + tally.of('rate_limited') === scene.attempts, 'the others are not even compared');
  const answer = await pair(scene, agent.namespaceId, token, FRIEND);
  scene.must(answer === 'auth_ok', `the window is still open for its own device (${answer})`);
  agent.socket.destroy();
  return tally.counts;
}

/** Agents that fill the relay with devices they never authorize. */
async function pending(scene: Scene): Promise<Counts> {
  const before = (await scene.relay.status()).devices;
  const tally = new Tally();
  await repeat(AT_ONCE, AT_ONCE, async () => {
    const agent = await openAgent(scene);
    for (let index = 0; index < scene.attempts / AT_ONCE; index++) {
      tally.add(await pair(scene, agent.namespaceId, await openWindow(agent.socket), FRIEND));
    }
    agent.socket.destroy();
  });
  const { devices } = await scene.relay.status();
  const kept = devices - before;
  scene.must(kept === MAX_PENDING * AT_ONCE, `${MAX_PENDING} of each are kept (${kept} of ${AT_ONCE})`);
  tally.add('kept', kept);
  return tally.counts;
}

async function authorizeMany(scene: Scene): Promise<Counts> {
  const agent = await openAgent(scene);
  const tally = new Tally();
  const lists = [33, 34, 64, 400].map((length) => {
    const clients = Array.from({ length }, () => new Uint8Array(randomBytes(32)));
    return encodeFrame({ type: 'authorize', clients });
  });
  for (let index = 0; index < scene.attempts; index++) {
    agent.socket.send(lists[index % lists.length] as Uint8Array);
    const answer = await nextFrame(agent.socket);
    tally.add(answer?.type === 'error' ? answer.code : (answer?.type ?? 'ended'));
  }
  agent.socket.destroy();
  scene.must(tally.of('bad_request') === scene.attempts, 'each is refused');
  return tally.counts;
}

/** Only `friend`, who is the pair's agent, may register. */
function allowlist(friend: Keys): Attack {
  return {
    name: 'agents that are not on the list',
    limit: 'registration allowlist: unauthorized',
    settings: () => ({
      registration: 'allowlist',
      allowedAgents: [Buffer.from(friend.publicKey).toString('hex')],
    }),
    pair: { agentKeys: friend },
    async run(scene) {
      const tally = await register(scene, addressOf);
      scene.must(tally.of('unauthorized') === scene.attempts, 'each is refused');
      await onlyThePairIsStored(scene);
      return tally.counts;
    },
  };
}

export const REGISTRATION_ATTACKS: readonly Attack[] = [
  {
    name: 'guesses of the invite',
    limit: 'registration invite: unauthorized',
    settings: () => ({ registration: 'invite', invite: INVITE }),
    pair: { invite: INVITE },
    async run(scene) {
      const guessed = (n: number) =>
        ['', INVITE.slice(0, -1), `${INVITE}x`, `guess number ${n}`][n % 4] ?? '';
      const tally = await register(scene, addressOf, guessed);
      scene.must(tally.of('unauthorized') === scene.attempts, 'each is refused');
      await onlyThePairIsStored(scene);
      return tally.counts;
    },
  },
  allowlist(newKeys()),
  {
    name: 'new agents from one address',
    limit: `registration open: ${NEW_PER_DAY} new ones per address and day, stored with their first window`,
    settings: openToAll,
    async run(scene) {
      const tally = await register(scene, () => ATTACKER);
      scene.must(tally.of('auth_ok') === NEW_PER_DAY, `${NEW_PER_DAY} get in`);
      scene.must(tally.of('rate_limited') === scene.attempts - NEW_PER_DAY, 'the others are told to wait');
      await onlyThePairIsStored(scene);
      return tally.counts;
    },
  },
  {
    name: 'new agents from everywhere',
    limit: 'registration open: without a pairing nothing is stored',
    settings: openToAll,
    async run(scene) {
      const tally = await register(scene, addressOf);
      await onlyThePairIsStored(scene);
      return tally.counts;
    },
  },
  {
    name: 'guesses of a pairing token',
    limit: `${GUESSES_PER_MINUTE} wrong tokens per address and minute; the window stays open`,
    settings: roomy,
    run: guess,
  },
  {
    name: 'devices that pair and are never authorized',
    limit: `${MAX_PENDING} pending`,
    settings: roomy,
    run: pending,
  },
  {
    name: 'authorize with more than 32 devices',
    limit: '32 authorized: bad_request',
    settings: roomy,
    run: authorizeMany,
  },
];
