/**
 * What every RelayBus must do, whatever carries it. A new bus runs this suite from a `.test.ts` of its own.
 */
import { toHex } from '@countersign/protocol';
import type { BusConnection, RelayBus } from '@countersign/server/ports';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

const key = (fill: number) => new Uint8Array(32).fill(fill);
const [NAMESPACE, OTHER_NAMESPACE, AGENT, PHONE, TABLET] = [1, 2, 3, 4, 5].map(key) as [
  Uint8Array,
  Uint8Array,
  Uint8Array,
  Uint8Array,
  Uint8Array,
];
const FRAME = Uint8Array.of(1, 2, 3);

interface RecordingConnection extends BusConnection {
  readonly log: string[];
}

/** Writes down what it is told; `takes` says whether it takes live frames. */
function recording(takes: boolean | Promise<boolean> = true): RecordingConnection {
  const log: string[] = [];
  return {
    log,
    deliverLive: (sender, frame, afterSeq) => {
      log.push(`live ${sender[0]} ${toHex(frame)}${afterSeq === 0 ? '' : ` after ${afterSeq}`}`);
      return takes;
    },
    wake: () => log.push('wake'),
    accepted: (ref) => log.push(`accepted ${ref}`),
    reports: () => log.push('reports'),
    displace: (reason) => log.push(reason),
    presence: (peer, online) => log.push(`${peer[0]} ${online ? 'online' : 'offline'}`),
    paired: (device) => log.push(`paired ${device.ed25519[0]} on platform ${device.platform}`),
  };
}

export function relayBusConformance(name: string, open: () => RelayBus | Promise<RelayBus>): void {
  describe(`a ${name} bus`, () => {
    let bus: RelayBus;

    beforeEach(async () => {
      bus = await open();
    });

    afterEach(() => bus.close());

    const attach = async (peer: Uint8Array, connection = recording(), namespace = NAMESPACE) => {
      const registration = await bus.attach(namespace, peer, connection);
      return { registration, log: connection.log };
    };
    const onlineIn = async (namespace: Uint8Array) => (await bus.online(namespace)).map((peer) => peer[0]);

    describe('telling a sender that its message is stored', () => {
      it('reaches the connection it has now, and no other', async () => {
        const older = await attach(PHONE);
        const newer = await attach(PHONE);
        const other = await attach(TABLET);
        bus.accepted(NAMESPACE, PHONE, 2n ** 64n - 1n);
        expect(newer.log).toEqual([`accepted ${2n ** 64n - 1n}`]);
        expect([older.log, other.log]).toEqual([['displaced'], []]);
      });

      it('is nothing to a sender that is gone', async () => {
        const { registration, log } = await attach(PHONE);
        registration.release();
        bus.accepted(NAMESPACE, PHONE, 1n);
        bus.accepted(OTHER_NAMESPACE, PHONE, 1n);
        expect(log).toEqual([]);
      });
    });

    describe('registering', () => {
      it('makes a peer reachable and online until it is released', async () => {
        const { registration } = await attach(PHONE);
        expect(registration.current).toBe(true);
        expect(await bus.isOnline(NAMESPACE, PHONE)).toBe(true);
        expect(registration.release()).toBe(true);
        expect(registration.current).toBe(false);
        expect(await bus.isOnline(NAMESPACE, PHONE)).toBe(false);
      });

      it('a newer login displaces the older one once, and nobody hears OFFLINE', async () => {
        const other = await attach(AGENT);
        const older = await attach(PHONE);
        const newer = await attach(PHONE);
        expect(older.log).toEqual(['displaced']);
        expect(older.registration.current).toBe(false);
        expect(newer.registration.current).toBe(true);
        expect(newer.log).toEqual([]);
        expect(other.log).toEqual([]);
      });

      it('each of several logins displaces only the one before it', async () => {
        const first = await attach(PHONE);
        const second = await attach(PHONE);
        const third = await attach(PHONE);
        expect([first.log, second.log, third.log]).toEqual([['displaced'], ['displaced'], []]);
      });

      it('the release of a displaced connection does not take the newer one away', async () => {
        const older = await attach(PHONE);
        const newer = await attach(PHONE);
        expect(older.registration.release()).toBe(false);
        expect(newer.registration.current).toBe(true);
        expect(await bus.isOnline(NAMESPACE, PHONE)).toBe(true);
      });

      it('a second release says that there was nothing left to release', async () => {
        const { registration } = await attach(PHONE);
        expect([registration.release(), registration.release()]).toEqual([true, false]);
      });

      it('the same key in another namespace is another peer', async () => {
        const here = await attach(PHONE);
        const there = await attach(PHONE, recording(), OTHER_NAMESPACE);
        expect([here.log, there.log]).toEqual([[], []]);
        expect(here.registration.release()).toBe(true);
        expect(await bus.isOnline(OTHER_NAMESPACE, PHONE)).toBe(true);
      });

      it('keeps its own copy of the keys it was given', async () => {
        const [namespace, peer] = [Buffer.from(NAMESPACE), Buffer.from(PHONE)];
        const { registration } = await attach(peer, recording(), namespace);
        namespace.fill(0);
        peer.fill(0);
        expect(await onlineIn(NAMESPACE)).toEqual([4]);
        expect(registration.current).toBe(true);
        expect(registration.release()).toBe(true);
      });
    });

    describe('live messages', () => {
      it('reach the recipient with sender and frame', async () => {
        const { log } = await attach(PHONE);
        expect(await bus.sendLive(NAMESPACE, PHONE, AGENT, FRAME, 0)).toBe('sent');
        expect(log).toEqual(['live 3 010203']);
      });

      it('arrive in the order they were sent', async () => {
        const { log } = await attach(PHONE);
        for (const byte of [1, 2, 3]) await bus.sendLive(NAMESPACE, PHONE, AGENT, Uint8Array.of(byte), 0);
        expect(log).toEqual(['live 3 01', 'live 3 02', 'live 3 03']);
      });

      it('are answered offline when nobody is there', async () => {
        expect(await bus.sendLive(NAMESPACE, PHONE, AGENT, FRAME, 0)).toBe('offline');
      });

      it('are answered offline when the connection cannot take them', async () => {
        await attach(PHONE, recording(false));
        expect(await bus.sendLive(NAMESPACE, PHONE, AGENT, FRAME, 0)).toBe('offline');
      });

      it('wait for the answer of a connection that has to wait itself', async () => {
        await attach(PHONE, recording(Promise.resolve(true)));
        await attach(TABLET, recording(Promise.resolve(false)));
        expect(await bus.sendLive(NAMESPACE, PHONE, AGENT, FRAME, 0)).toBe('sent');
        expect(await bus.sendLive(NAMESPACE, TABLET, AGENT, FRAME, 0)).toBe('offline');
      });

      it('carry the queued message they must not overtake', async () => {
        const { log } = await attach(PHONE);
        await bus.sendLive(NAMESPACE, PHONE, AGENT, FRAME, 9);
        expect(log).toEqual(['live 3 010203 after 9']);
      });

      it('never cross namespaces', async () => {
        const { log } = await attach(PHONE);
        expect(await bus.sendLive(OTHER_NAMESPACE, PHONE, AGENT, FRAME, 0)).toBe('offline');
        expect(log).toEqual([]);
      });

      it('go to the newest connection only', async () => {
        const older = await attach(PHONE);
        const newer = await attach(PHONE);
        await bus.sendLive(NAMESPACE, PHONE, AGENT, FRAME, 0);
        expect([older.log, newer.log]).toEqual([['displaced'], ['live 3 010203']]);
      });

      it('fail with unavailable once the bus is closed', async () => {
        await bus.close();
        const send = async () => bus.sendLive(NAMESPACE, PHONE, AGENT, FRAME, 0);
        await expect(send()).rejects.toMatchObject({ code: 'unavailable' });
        await expect(attach(PHONE)).rejects.toMatchObject({ code: 'unavailable' });
      });
    });

    describe('waking', () => {
      it('tells the one recipient', async () => {
        const phone = await attach(PHONE);
        const tablet = await attach(TABLET);
        bus.wake(NAMESPACE, PHONE);
        expect([phone.log, tablet.log]).toEqual([['wake'], []]);
      });

      it('does nothing when nobody is there', () => {
        expect(() => bus.wake(NAMESPACE, PHONE)).not.toThrow();
      });
    });

    describe('a device that paired', () => {
      const device = { ed25519: PHONE, x25519: key(8), platform: 3, window: new Uint8Array(16) };

      it('is told to the agent of its namespace and to nobody else', async () => {
        const agent = await attach(AGENT);
        const phone = await attach(TABLET);
        const stranger = await attach(AGENT, recording(), OTHER_NAMESPACE);
        await bus.announcePaired(NAMESPACE, AGENT, device);
        expect([agent.log, phone.log, stranger.log]).toEqual([['paired 4 on platform 3'], [], []]);
      });

      it('is told to nobody when the agent is not there', async () => {
        const phone = await attach(TABLET);
        await bus.announcePaired(NAMESPACE, AGENT, device);
        expect(phone.log).toEqual([]);
      });
    });

    describe('revoking', () => {
      it('ends the registration at once and tells the others OFFLINE', async () => {
        const agent = await attach(AGENT);
        const phone = await attach(PHONE);
        bus.revoke(NAMESPACE, PHONE);
        expect(phone.log).toEqual(['revoked']);
        expect(agent.log).toEqual(['4 offline']);
        expect(phone.registration.current).toBe(false);
        expect(await bus.sendLive(NAMESPACE, PHONE, AGENT, FRAME, 0)).toBe('offline');
      });

      it('leaves nothing to release, so OFFLINE is told once', async () => {
        const { registration } = await attach(PHONE);
        bus.revoke(NAMESPACE, PHONE);
        expect(registration.release()).toBe(false);
      });

      it('of a device that is not there tells nobody anything', async () => {
        const agent = await attach(AGENT);
        bus.revoke(NAMESPACE, PHONE);
        expect(agent.log).toEqual([]);
      });
    });

    describe('presence', () => {
      it('goes to the others of the namespace only', async () => {
        const agent = await attach(AGENT);
        const phone = await attach(PHONE);
        const stranger = await attach(AGENT, recording(), OTHER_NAMESPACE);
        bus.announce(NAMESPACE, PHONE, true);
        expect([agent.log, phone.log, stranger.log]).toEqual([['4 online'], [], []]);
      });

      it('lists everybody of the namespace', async () => {
        await attach(AGENT);
        await attach(PHONE);
        await attach(TABLET, recording(), OTHER_NAMESPACE);
        expect(new Set(await onlineIn(NAMESPACE))).toEqual(new Set([3, 4]));
        expect(await onlineIn(key(9))).toEqual([]);
      });

      it('a connection that leaves while presence is told keeps it from nobody', async () => {
        const leaving = recording();
        const { registration } = await attach(AGENT, {
          ...leaving,
          presence: () => registration.release(),
        } as RecordingConnection);
        const tablet = await attach(TABLET);
        bus.announce(NAMESPACE, PHONE, true);
        expect(tablet.log).toEqual(['4 online']);
      });
    });

    it('names the namespaces with a connection and forgets those without', async () => {
      const phone = await attach(PHONE);
      const agent = await attach(AGENT);
      const other = await attach(AGENT, recording(), OTHER_NAMESPACE);
      expect(new Set(bus.namespaces().map((id) => id[0]))).toEqual(new Set([1, 2]));
      phone.registration.release();
      other.registration.release();
      expect(bus.namespaces().map((id) => id[0])).toEqual([1]);
      agent.registration.release();
      expect(bus.namespaces()).toEqual([]);
    });

    it('forgets everybody without a word when it is closed, and may be closed twice', async () => {
      const phone = await attach(PHONE);
      await bus.close();
      await bus.close();
      expect(phone.log).toEqual([]);
      expect(phone.registration.release()).toBe(false);
      expect(bus.namespaces()).toEqual([]);
    });
  });
}
