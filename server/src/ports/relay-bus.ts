/**
 * How relay instances reach each other's connections. `local` serves one process; a distributed one
 * (08) must keep the same order: messages published to one recipient arrive in publishing order.
 */
export interface BusConnection {
  /** A live frame ready to write; false when this connection cannot take it any more. */
  deliverLive(sender: Uint8Array, frame: Uint8Array): boolean;
  /** New queued messages exist for this recipient. */
  wake(): void;
  /** The older connection of a newer login (01 §5), or of a revoked device. */
  displace(reason: 'displaced' | 'revoked'): void;
  presence(peer: Uint8Array, online: boolean): void;
}

export interface RelayBus {
  /** Registers the one connection of a peer; an older one is displaced first. Returns its release, idempotent. */
  attach(namespaceId: Uint8Array, peer: Uint8Array, connection: BusConnection): Promise<BusRegistration>;
  /** `offline` when nobody is there to take it. @throws CountersignError `unavailable` when the bus is down. */
  sendLive(
    namespaceId: Uint8Array,
    recipient: Uint8Array,
    sender: Uint8Array,
    frame: Uint8Array,
  ): 'sent' | 'offline' | Promise<'sent' | 'offline'>;
  wake(namespaceId: Uint8Array, recipient: Uint8Array): void;
  revoke(namespaceId: Uint8Array, peer: Uint8Array): void;
  announce(namespaceId: Uint8Array, peer: Uint8Array, online: boolean): void;
  online(namespaceId: Uint8Array): Promise<Uint8Array[]>;
  isOnline(namespaceId: Uint8Array, peer: Uint8Array): boolean | Promise<boolean>;
  namespaces(): Uint8Array[];
  close(): Promise<void>;
}

export interface BusRegistration {
  /** False once a newer login took the place. */
  readonly current: boolean;
  release(): boolean;
}
