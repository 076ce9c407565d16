/**
 * Connections of one process, found by namespace and peer. Must not know sockets, the store or the wire.
 */
import { CountersignError } from '@countersign/protocol';
import type { BusConnection, BusRegistration, PairedDevice, RelayBus } from '../../../ports/index.js';

/** A peer's place. Keys are kept as strings only: byte arrays weigh several times as much. */
interface Seat extends BusRegistration {
  readonly connection: BusConnection;
}

interface Room {
  readonly key: string;
  readonly seats: Map<string, Seat>;
}

/** A bus that serves the connections of this process. */
export function openLocalBus(): RelayBus {
  return new LocalBus();
}

class LocalSeat implements Seat {
  readonly connection: BusConnection;
  readonly #rooms: Map<string, Room>;
  readonly #room: Room;
  readonly #peer: string;

  constructor(rooms: Map<string, Room>, room: Room, peer: string, connection: BusConnection) {
    this.#rooms = rooms;
    this.#room = room;
    this.#peer = peer;
    this.connection = connection;
  }

  get current(): boolean {
    return this.#room.seats.get(this.#peer) === this;
  }

  /** Takes this seat away, and the room with its last one; false when another sits there or nobody. */
  release(): boolean {
    if (!this.current) return false;
    this.#room.seats.delete(this.#peer);
    if (this.#room.seats.size === 0) this.#rooms.delete(this.#room.key);
    return true;
  }
}

class LocalBus implements RelayBus {
  readonly #rooms = new Map<string, Room>();
  #closed = false;

  async attach(
    namespaceId: Uint8Array,
    peer: Uint8Array,
    connection: BusConnection,
  ): Promise<BusRegistration> {
    this.#assertOpen();
    const room = this.#roomFor(namespaceId);
    const key = keyOf(peer);
    const older = room.seats.get(key);
    const seat = new LocalSeat(this.#rooms, room, key, connection);
    room.seats.set(key, seat);
    older?.connection.displace('displaced');
    return seat;
  }

  sendLive(
    namespaceId: Uint8Array,
    recipient: Uint8Array,
    sender: Uint8Array,
    frame: Uint8Array,
    afterSeq: number,
  ) {
    this.#assertOpen();
    const taken =
      this.#find(namespaceId, recipient)?.connection.deliverLive(sender, frame, afterSeq) ?? false;
    return typeof taken === 'boolean' ? outcomeOf(taken) : taken.then(outcomeOf);
  }

  wake(namespaceId: Uint8Array, recipient: Uint8Array): void {
    this.#find(namespaceId, recipient)?.connection.wake();
  }

  accepted(namespaceId: Uint8Array, sender: Uint8Array, ref: bigint): void {
    this.#find(namespaceId, sender)?.connection.accepted(ref);
  }

  reports(namespaceId: Uint8Array, agent: Uint8Array): void {
    this.#find(namespaceId, agent)?.connection.reports();
  }

  revoke(namespaceId: Uint8Array, peer: Uint8Array): void {
    const seat = this.#find(namespaceId, peer);
    if (!seat?.release()) return;
    seat.connection.displace('revoked');
    this.announce(namespaceId, peer, false);
  }

  announcePaired(namespaceId: Uint8Array, agent: Uint8Array, device: PairedDevice): void {
    this.#find(namespaceId, agent)?.connection.paired(device);
  }

  announce(namespaceId: Uint8Array, peer: Uint8Array, online: boolean): void {
    const own = keyOf(peer);
    // A copy: a connection told of a change may attach or release another one.
    for (const [key, seat] of Array.from(this.#rooms.get(keyOf(namespaceId))?.seats ?? [])) {
      if (key !== own) seat.connection.presence(peer, online);
    }
  }

  async online(namespaceId: Uint8Array): Promise<Uint8Array[]> {
    return [...(this.#rooms.get(keyOf(namespaceId))?.seats.keys() ?? [])].map(bytesOf);
  }

  isOnline(namespaceId: Uint8Array, peer: Uint8Array): boolean {
    return this.#find(namespaceId, peer) !== undefined;
  }

  namespaces(): Uint8Array[] {
    return [...this.#rooms.keys()].map(bytesOf);
  }

  async close(): Promise<void> {
    this.#closed = true;
    for (const room of this.#rooms.values()) room.seats.clear();
    this.#rooms.clear();
  }

  #roomFor(namespaceId: Uint8Array): Room {
    const key = keyOf(namespaceId);
    const room = this.#rooms.get(key) ?? { key, seats: new Map() };
    this.#rooms.set(key, room);
    return room;
  }

  #find(namespaceId: Uint8Array, peer: Uint8Array): Seat | undefined {
    return this.#rooms.get(keyOf(namespaceId))?.seats.get(keyOf(peer));
  }

  #assertOpen(): void {
    if (this.#closed) throw new CountersignError('unavailable', 'The bus is closed.');
  }
}

function outcomeOf(taken: boolean): 'sent' | 'offline' {
  return taken ? 'sent' : 'offline';
}

function keyOf(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('latin1');
}

function bytesOf(key: string): Uint8Array {
  return Uint8Array.from(Buffer.from(key, 'latin1'));
}
