/**
 * What the relay itself says to a peer after login: answers, presence, new pairings. Nothing before `auth_ok` and
 * the first batch of the drain (01 §3, §5); what happens meanwhile is kept as its latest state. Must not know
 * the store.
 */
import { CAPABILITY, PRESENCE, type RelayFrame } from '@countersign/protocol';
import type { PairedDevice } from '../../ports/index.js';
import type { PeerIdentity } from '../context.js';
import { keyOf } from '../keys.js';

export interface ControlOptions {
  readonly peer: PeerIdentity;
  send(frame: RelayFrame): void;
}

interface Presence {
  readonly peer: Uint8Array;
  readonly online: boolean;
}

export class Control {
  readonly #options: ControlOptions;
  // Each is gone once it is said: a connection is silent nearly all of its life.
  /** Bounded by the devices of a namespace. */
  #presence: Map<string, Presence> | undefined;
  #paired: Map<string, PairedDevice> | undefined;
  /** Bounded by the writes earlier connections may have under way. */
  #accepted: bigint[] | undefined;
  #isOpen = false;
  #mayAnnouncePresence = false;

  constructor(options: ControlOptions) {
    this.#options = options;
  }

  /**
   * After `auth_ok`: every pending device, those that came during the login included, each once, and what was
   * accepted meanwhile.
   */
  open(pending: readonly PairedDevice[]): void {
    for (const device of pending) if (!this.#paired?.has(keyOf(device.ed25519))) this.#sendPaired(device);
    for (const device of this.#paired?.values() ?? []) this.#sendPaired(device);
    this.#paired = undefined;
    this.#isOpen = true;
    for (const ref of this.#accepted ?? []) this.accepted(ref);
    this.#accepted = undefined;
  }

  /** Nothing for a peer that did not ask to hear of it. */
  accepted(ref: bigint): void {
    if (!this.#options.peer.capabilities.includes(CAPABILITY.ref)) return;
    if (this.#isOpen) {
      this.#options.send({ type: 'accepted', ref });
    } else {
      this.#accepted ??= [];
      this.#accepted.push(ref);
    }
  }

  paired(device: PairedDevice): void {
    if (this.#isOpen) {
      this.#sendPaired(device);
    } else {
      this.#paired ??= new Map();
      this.#paired.set(keyOf(device.ed25519), device);
    }
  }

  presence(peer: Uint8Array, online: boolean): void {
    if (this.#mayAnnouncePresence) {
      this.#sendPresence({ peer, online });
    } else {
      this.#presence ??= new Map();
      this.#presence.set(keyOf(peer), { peer, online });
    }
  }

  /** The first batch of the drain is written. */
  openPresence(): void {
    this.#mayAnnouncePresence = true;
    for (const change of this.#presence?.values() ?? []) this.#sendPresence(change);
    this.#presence = undefined;
  }

  #sendPresence({ peer, online }: Presence): void {
    const status = online ? PRESENCE.online : PRESENCE.offline;
    this.#options.send({ type: 'presence_event', pubkey: peer, status });
  }

  #sendPaired({ ed25519, x25519, platform, window }: PairedDevice): void {
    const knowsWindow = this.#options.peer.capabilities.includes(CAPABILITY.window);
    this.#options.send({
      type: 'client_paired',
      clientEd25519Pub: ed25519,
      clientX25519Pub: x25519,
      platform,
      ...(knowsWindow ? { window } : {}),
    });
  }
}
