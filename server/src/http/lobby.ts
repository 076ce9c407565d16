/**
 * Connections that are no WebSocket yet, whatever they say: at most so many, the oldest makes room for a new one
 * (01 §6), and who asked for an upgrade has it in time or is gone. Must not know requests or frames.
 */
import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';

export interface LobbyOptions {
  readonly maxSockets: number;
  /** How long an upgrade may take that nobody answers. */
  readonly upgradeMs: number;
}

interface Guest {
  readonly socket: Socket;
  readonly onClose: () => void;
  timer?: NodeJS.Timeout;
}

export class Lobby {
  readonly #options: LobbyOptions;
  /** By the peer's address and port: under TLS an upgrade names another object than the connection. */
  readonly #guests = new Map<string, Guest>();
  #closed = false;

  constructor(options: LobbyOptions) {
    this.#options = options;
  }

  get size(): number {
    return this.#guests.size;
  }

  watch(server: Server): void {
    server.on('connection', (socket: Socket) => this.#enter(socket));
    server.on('upgrade', (_, socket: Duplex) => this.#hurry(keyOf(socket)));
  }

  /** It is a WebSocket now. */
  leave(socket: Duplex): void {
    this.#forget(keyOf(socket));
  }

  /** Ends who is here and who still comes. */
  close(): void {
    this.#closed = true;
    for (const { socket } of this.#guests.values()) socket.destroy();
  }

  #enter(socket: Socket): void {
    if (this.#closed) {
      socket.destroy();
      return;
    }
    const key = keyOf(socket);
    if (this.#guests.size >= this.#options.maxSockets) this.#dropOldest();
    const onClose = () => {
      if (this.#guests.get(key)?.socket === socket) this.#forget(key);
    };
    socket.on('close', onClose);
    this.#guests.set(key, { socket, onClose });
  }

  #dropOldest(): void {
    for (const [key, { socket }] of this.#guests) {
      this.#forget(key);
      socket.destroy();
      return;
    }
  }

  #hurry(key: string): void {
    const guest = this.#guests.get(key);
    if (guest) guest.timer ??= setTimeout(() => guest.socket.destroy(), this.#options.upgradeMs);
  }

  #forget(key: string): void {
    const guest = this.#guests.get(key);
    clearTimeout(guest?.timer);
    guest?.socket.off('close', guest.onClose);
    this.#guests.delete(key);
  }
}

function keyOf(socket: Duplex): string {
  const { remoteAddress, remotePort } = socket as Socket;
  return `${remoteAddress} ${remotePort}`;
}
