/** What one address may do, and who says which address it is. Must not know logins. */
import { agentRole, newKeys } from '../../support/relay/raw-peer.js';
import { rawLogin } from '../../support/trials/raw-login.js';
import { RawSocket } from '../../support/trials/raw-socket.js';
import { type Attack, type Counts, repeat, type Scene, Tally } from '../attack.js';
import { PROXY, plain } from './settings.js';

const PER_MINUTE = 120;
const OPEN_BEFORE_LOGIN = 64;
const MINUTE_MS = 60_000;
const AT_ONCE = 8;
const MAX_CONNECTIONS = 100;
/** Attacks upon one relay come from addresses of their own. */
const ATTACKERS = {
  plain: '127.0.1.9',
  forging: '127.0.2.9',
  foreign: '127.0.3.9',
  holding: '127.0.4.9',
  filling: '127.0.5.9',
} as const;

/** Knocks, and leaves at once; counts who was let in. Each time the headers may be others. */
async function knock(
  scene: Scene,
  from: string,
  headersOf: (index: number) => readonly string[],
): Promise<Tally> {
  const tally = new Tally();
  await repeat(scene.attempts, AT_ONCE, async (index) => {
    const { socket, upgraded } = await RawSocket.open({ port: scene.port, from, headers: headersOf(index) });
    tally.add(String(upgraded.status));
    if (upgraded.status === 429)
      scene.must(/retry-after: \d+/i.test(upgraded.head), 'a refusal names a time');
    socket.destroy();
    await socket.whenEnded();
  });
  return tally;
}

/** A flood of new connections: so many are let in each minute. */
function flood(
  name: string,
  limit: number,
  headersOf: (index: number) => readonly string[],
  from: string = PROXY,
): Attack {
  return {
    name,
    limit: `${limit} new connections per minute`,
    settings: plain,
    async run(scene) {
      const since = performance.now();
      const tally = await knock(scene, from, headersOf);
      const minutes = Math.floor((performance.now() - since) / MINUTE_MS) + 1;
      scene.must(tally.of('101') <= limit * minutes, `${limit} a minute are let in`);
      scene.must(tally.of('101') >= OPEN_BEFORE_LOGIN, 'the first ones are let in');
      scene.must(tally.of('101') + tally.of('429') === scene.attempts, 'the others are answered 429');
      return tally.counts;
    },
  };
}

/** Logs in again and again, each time as another agent, and stays. */
async function fillUp({ port, attempts, must }: Scene): Promise<Counts> {
  const [tally, held] = [new Tally(), [] as RawSocket[]];
  await repeat(attempts, AT_ONCE, async () => {
    const keys = newKeys();
    const { socket, answer } = await rawLogin({ port, from: ATTACKERS.filling }, keys, agentRole(keys));
    tally.add(answer);
    if (answer === 'auth_ok') held.push(socket);
    else socket.destroy();
  });
  must(tally.of('auth_ok') <= MAX_CONNECTIONS, 'no more are connected than may be');
  must(tally.of('http 429') >= attempts - MAX_CONNECTIONS, 'the others are refused before their upgrade');
  for (const socket of held) socket.destroy();
  return tally.counts;
}

const crowded = () => ({ maxConnections: MAX_CONNECTIONS, newConnectionsPerAddressPerMinute: 1_000_000 });
const hex = (number: number): string => (number & 0xffff).toString(16);
const forwarded = (address: string): readonly string[] => [`X-Forwarded-For: ${address}`];

export const ADDRESS_ATTACKS: readonly Attack[] = [
  flood('new connections of one IPv4 address', PER_MINUTE, () => [], ATTACKERS.plain),
  flood('of one IPv6 /64, another address each time', PER_MINUTE, (n) =>
    forwarded(`2001:db8:1:1::${hex(n)}`),
  ),
  flood('of one IPv6 /56, another /64 each time', 2 * PER_MINUTE, (n) =>
    forwarded(`2001:db8:2:${hex(0x0100 + (n % 256))}::${hex(n)}`),
  ),
  flood('of one IPv6 /48, another /56 each time', 4 * PER_MINUTE, (n) =>
    forwarded(`2001:db8:3:${hex((n % 256) << 8)}::1`),
  ),
  flood(
    'another X-Forwarded-For each time, from no proxy',
    PER_MINUTE,
    (n) => forwarded(`192.0.${(n >> 8) & 0xff}.${n & 0xff}`),
    ATTACKERS.forging,
  ),
  flood('another invented hop each time, through the proxy', PER_MINUTE, (n) =>
    forwarded(`10.0.${(n >> 8) & 0xff}.${n & 0xff}, 192.0.2.7`),
  ),
  {
    name: 'connections of one address held open without a login',
    limit: `${OPEN_BEFORE_LOGIN} open before login`,
    settings: crowded,
    async run(scene) {
      const [tally, held] = [new Tally(), [] as RawSocket[]];
      await repeat(scene.attempts, AT_ONCE, async () => {
        const { socket, upgraded } = await RawSocket.open({ port: scene.port, from: ATTACKERS.holding });
        tally.add(String(upgraded.status));
        if (upgraded.status === 101) held.push(socket);
        else socket.destroy();
      });
      // Those whose time is up make room for as many again.
      const closed = held.filter((socket) => socket.ended).length;
      scene.must(tally.of('101') <= OPEN_BEFORE_LOGIN + closed, `${OPEN_BEFORE_LOGIN} are open at most`);
      for (const socket of held) socket.destroy();
      return tally.counts;
    },
  },
  {
    name: 'upgrades from foreign web origins',
    limit: '403, the body names allowedOrigins',
    settings: plain,
    async run(scene) {
      const origins = ['https://evil.example', 'null', 'http://127.0.0.1', 'https://127.0.0.1.evil.example'];
      const tally = await knock(scene, ATTACKERS.foreign, (n) => [`Origin: ${origins[n % origins.length]}`]);
      scene.must(tally.of('403') === scene.attempts, 'each is answered 403');
      return tally.counts;
    },
  },
  {
    name: 'logged-in connections above maxConnections',
    limit: 'maxConnections',
    settings: crowded,
    run: fillUp,
  },
];
