/**
 * One peer of the chaos: keys, a store that outlives its processes, and a link, the real one, that is ended and opened
 * again. Says what it queued for good and what it applied. Must not know the relay's fate.
 */
import { decodeFrame, SEAL, toHex } from '@countersign/protocol';
import { signEd25519 } from '@countersign/protocol/auth';
import type { IdentityKeys } from '@countersign/protocol/e2e';
import type { Link, PeerChannel, PeerStore } from '@countersign/protocol/link';
import { openLinkIn } from '../../protocol/src/link/link.js';
import { type LinkRuntime, platformRuntime } from '../../protocol/src/link/runtime.js';
import type { FaultyWire } from './faulty-wire.js';
import { type Applied, DiskStore, type Effects, MemoryStore, type PartyStore } from './party-store.js';

/** The links' time runs so many times as fast, so that silences and delays of minutes fit into a trial. */
export const HASTE = 10;

export interface PartyOptions {
  readonly name: string;
  readonly role: 'agent' | 'client';
  readonly keys: IdentityKeys;
  readonly namespaceId: Uint8Array;
  readonly wire: FaultyWire;
}

/** A message as its seal names it. */
export interface Sealed {
  readonly peer: string;
  readonly counter: number;
}

interface Life {
  link: Link;
  /** Set when the process is gone: its store answers nobody any more. */
  over: boolean;
}

const EVER: Promise<never> = new Promise(() => undefined);

export class Party {
  readonly options: PartyOptions;
  readonly hex: string;
  readonly store: PartyStore;
  readonly channels = new Map<string, PeerChannel>();
  /** By recipient: numbers that are in the outbox for good, and those of which nobody knows. */
  readonly queued = new Map<string, Set<number>>();
  readonly tried = new Map<string, Set<number>>();
  /** What the relay said it holds, by outbox id. */
  readonly accepted = new Set<number>();
  /** What is or was in the outbox, by its id. */
  readonly sealed = new Map<number, Sealed>();
  /** Who was last heard to be there or not, since this login. */
  readonly presence = new Map<string, boolean>();
  /** Agents. */
  devices: readonly Uint8Array[] = [];
  #life: Life | undefined;
  #next = 1;

  constructor(options: PartyOptions) {
    this.options = options;
    this.store = options.role === 'agent' ? new DiskStore() : new MemoryStore();
    this.hex = toHex(options.keys.ed25519Public);
  }

  get link(): Link | undefined {
    return this.#life?.link;
  }

  get isUp(): boolean {
    return this.#life !== undefined;
  }

  /** A new process on the same store. */
  start(): void {
    this.store.reopen();
    const life: Life = { over: false } as Life;
    life.link = this.#open(life);
    this.#life = life;
    life.link.start();
  }

  /** The process ends as it should. */
  async stop(): Promise<void> {
    const life = this.#life;
    this.#life = undefined;
    await life?.link.close();
    if (life) life.over = true;
  }

  /** The process is killed: nothing it had in hand is finished, and its connection breaks. */
  crash(): void {
    const life = this.#life;
    if (life === undefined) return;
    this.#life = undefined;
    life.over = true;
    this.options.wire.cut();
    life.link.close().catch(() => undefined);
  }

  /** Queues the next number for a peer. */
  async queue(peer: string): Promise<void> {
    const [life, n] = [this.#life, this.#next++];
    if (life === undefined) return;
    this.#numbers(this.tried, peer).add(n);
    try {
      await life.link.queue(this.#channel(peer), { n, live: false });
      this.#numbers(this.queued, peer).add(n);
    } catch {
      // Full, or closing: it was not promised.
    }
  }

  /** Sends the next number at once, or not at all. */
  async live(peer: string): Promise<void> {
    const [life, n] = [this.#life, this.#next++];
    if (life === undefined) return;
    this.#numbers(this.tried, peer).add(n);
    await life.link.sendLive(this.#channel(peer), { n, live: true });
  }

  /** What one sender sent, in the order it took effect. */
  appliedFrom(sender: string): Applied[] {
    return this.store.applied().filter(({ from }) => from === sender);
  }

  #channel(peer: string): PeerChannel {
    return this.channels.get(peer) as PeerChannel;
  }

  #numbers(of: Map<string, Set<number>>, peer: string): Set<number> {
    const known = of.get(peer) ?? new Set<number>();
    of.set(peer, known);
    return known;
  }

  #open(life: Life): Link {
    const { role, namespaceId, keys, wire } = this.options;
    const identity = {
      role,
      namespaceId,
      ed25519Public: keys.ed25519Public,
      sign: (message: Uint8Array) => signEd25519(message, keys.ed25519Secret),
    };
    const link: Link = openLinkIn<Effects>(
      {
        relayUrl: wire.url,
        identity,
        store: this.#mortal(this.store.peer, life),
        binding: 'required',
        handler: {
          channelsOf: (peer) => [this.channels.get(peer)].filter((channel) => channel !== undefined),
          onPayload: ({ channel, payload, counter }) => ({
            apply: (tx, verdict) => {
              if (verdict === 'new') tx.apply(appliedOf(channel.peer, payload, counter));
            },
          }),
          onPresence: (peer, online) => void this.presence.set(peer, online),
          onState: ({ phase }) => {
            if (phase !== 'online') this.presence.clear();
          },
          onOnline: async () => {
            if (role === 'agent') await link.authorize(this.devices);
          },
        },
      },
      this.#listening(),
    );
    return link;
  }

  /** The hasty runtime, whose sockets are overheard. */
  #listening(): LinkRuntime {
    return {
      ...hasty,
      openSocket: (url, events, options) =>
        hasty.openSocket(
          url,
          {
            ...events,
            onMessage: (data) => {
              const found = data && decodeFrame(data);
              if (found?.type === 'accepted') this.accepted.add(Number(found.ref));
              events.onMessage(data);
            },
          },
          options,
        ),
    };
  }

  /** A store that stands still for a process that is gone. */
  #mortal(store: PeerStore<Effects>, life: Life): PeerStore<Effects> {
    const alive = <T>(run: () => Promise<T>): Promise<T> => (life.over ? EVER : run());
    return {
      reserveCounters: (...args) => alive(() => store.reserveCounters(...args)),
      receive: (...args) => alive(() => store.receive(...args)),
      enqueue: (row) =>
        alive(async () => {
          const id = await store.enqueue(row);
          this.sealed.set(id, { peer: row.peer, counter: counterOf(row.nonce) });
          return id;
        }),
      outboxAfter: (...args) => alive(() => store.outboxAfter(...args)),
      outboxRemove: (...args) => alive(() => store.outboxRemove(...args)),
    };
  }
}

function appliedOf(from: string, payload: Record<string, unknown>, counter: number): Applied {
  return { from, n: Number(payload.n), live: payload.live === true, counter };
}

/** The end of a nonce (02 §2). */
function counterOf(nonce: Uint8Array): number {
  const view = new DataView(nonce.buffer, nonce.byteOffset, nonce.byteLength);
  return Number(view.getBigUint64(SEAL.nonceDirectionBytes));
}

const startedAt = platformRuntime.now();
const hasty: LinkRuntime = {
  now: () => startedAt + (platformRuntime.now() - startedAt) * HASTE,
  setTimer: (run, ms) => platformRuntime.setTimer(run, ms / HASTE),
  randomBytes: (length) => platformRuntime.randomBytes(length),
  openSocket: (...args) => platformRuntime.openSocket(...args),
};
