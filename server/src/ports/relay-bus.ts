/**
 * How relay instances reach each other's connections. `local` serves one process; a distributed one
 * (08) must keep the same order: what is published to one recipient arrives in publishing order.
 */
export interface BusConnection {
  /**
   * A live frame, `peer` already naming the sender. False when this connection cannot take it any more;
   * a promise while it waits behind older queued messages of its sender (01 §5).
   * `afterSeq`: seq of the sender's newest queued message for this recipient that is older than the frame, or 0.
   */
  deliverLive(sender: Uint8Array, frame: Uint8Array, afterSeq: number): boolean | Promise<boolean>;
  /** New queued messages exist for this recipient. */
  wake(): void;
  /** A message this peer sent, here or on an earlier connection, is durably stored; `ref` is its handle. */
  accepted(ref: bigint): void;
  /** There is something to be told about pushes. */
  reports(): void;
  /** The older connection of a newer login (01 §5), or of a revoked device. */
  displace(reason: 'displaced' | 'revoked'): void;
  presence(peer: Uint8Array, online: boolean): void;
  /** To the agent: a device came through a pairing window. */
  paired(device: PairedDevice): void;
}

/** The fields of `client_paired` (01 §2); `window` goes only to an agent that asked for it. */
export interface PairedDevice {
  readonly ed25519: Uint8Array;
  readonly x25519: Uint8Array;
  readonly platform: number;
  readonly window: Uint8Array;
}

export interface RelayBus {
  /** Registers the one connection of a peer; an older one is displaced first. */
  attach(namespaceId: Uint8Array, peer: Uint8Array, connection: BusConnection): Promise<BusRegistration>;
  /** `offline` when nobody is there to take it. @throws CountersignError `unavailable` when the bus is down. */
  sendLive(
    namespaceId: Uint8Array,
    recipient: Uint8Array,
    sender: Uint8Array,
    frame: Uint8Array,
    afterSeq: number,
  ): 'sent' | 'offline' | Promise<'sent' | 'offline'>;
  wake(namespaceId: Uint8Array, recipient: Uint8Array): void;
  /** To whatever connection the sender has now, if any. */
  accepted(namespaceId: Uint8Array, sender: Uint8Array, ref: bigint): void;
  /** To whatever connection the agent has now, if any. */
  reports(namespaceId: Uint8Array, agent: Uint8Array): void;
  /** Displaces the device's connection and announces its OFFLINE; nothing when there is none. */
  revoke(namespaceId: Uint8Array, peer: Uint8Array): void;
  /** Hands the device to the agent's connection, if there is one; done when it resolves. */
  announcePaired(namespaceId: Uint8Array, agent: Uint8Array, device: PairedDevice): void | Promise<void>;
  /** Tells every connection of the namespace but the peer's own. */
  announce(namespaceId: Uint8Array, peer: Uint8Array, online: boolean): void;
  online(namespaceId: Uint8Array): Promise<Uint8Array[]>;
  isOnline(namespaceId: Uint8Array, peer: Uint8Array): boolean | Promise<boolean>;
  namespaces(): Uint8Array[];
  close(): Promise<void>;
}

export interface BusRegistration {
  /** False once a newer login took the place. */
  readonly current: boolean;
  /** Leaves the place; true when it was still held. Idempotent. */
  release(): boolean;
}
