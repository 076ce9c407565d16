/**
 * One peer's connection as the domain writes to it. Whoever owns the real socket implements it and tells
 * the domain what arrives through {@link SocketListener}. Nothing here throws; a closed socket swallows writes.
 */
export interface PeerSocket {
  /** One binary message. The bytes belong to the socket from now on. */
  send(frame: Uint8Array): void;
  ping(payload: Uint8Array): void;
  pong(payload: Uint8Array): void;
  /** Starts the closing handshake; nothing is read any more. */
  close(code: number, reason: string): void;
  /** Drops the connection without a farewell. */
  terminate(): void;
  /** Stops reading; what was read already may still be reported. */
  pause(): void;
  resume(): void;
  /** What is held of everything handed over that the network has not taken yet: its bytes and what a write costs. */
  readonly bufferedBytes: number;
}

export interface SocketListener {
  onMessage(data: Uint8Array, binary: boolean): void;
  onPing(payload: Uint8Array): void;
  onPong(payload: Uint8Array): void;
  /** Bytes came in, whatever they are a part of; called after the messages they completed. */
  onRead(bytes: number): void;
  /** The network took everything that was waiting. */
  onDrained(): void;
  /** The connection is gone; the last call. */
  onClosed(code: number): void;
}
