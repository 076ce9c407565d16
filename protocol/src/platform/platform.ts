/**
 * The port between the protocol and the runtime it runs on. `node.ts` and `web.ts` are its only
 * implementations, chosen by `package.json#imports "#platform"`; nothing else knows a runtime.
 */

/** Ciphertext layout of {@link Platform.aesGcmSeal}: ciphertext ‖ 16-byte tag (NIST SP 800-38D). */
export interface Platform {
  readonly runtime: 'node' | 'web';
  /** SHA-256 (FIPS 180-4), 32 bytes. */
  sha256(data: Uint8Array): Promise<Uint8Array>;
  /** HKDF-SHA256 (RFC 5869). `info` and `salt` are bytes; `lengthBytes` ≤ 8,160. */
  hkdfSha256(ikm: Uint8Array, salt: Uint8Array, info: Uint8Array, lengthBytes: number): Promise<Uint8Array>;
  /** PBKDF2-HMAC-SHA256 (RFC 8018 §5.2). */
  pbkdf2Sha256(
    password: Uint8Array,
    salt: Uint8Array,
    rounds: number,
    lengthBytes: number,
  ): Promise<Uint8Array>;
  /** AES-256-GCM with a 12-byte nonce and a 16-byte tag. */
  aesGcmSeal(key: Uint8Array, nonce: Uint8Array, aad: Uint8Array, plaintext: Uint8Array): Promise<Uint8Array>;
  /** The plaintext, or undefined when authentication fails or `sealed` is shorter than a tag. Never partial plaintext. */
  aesGcmOpen(
    key: Uint8Array,
    nonce: Uint8Array,
    aad: Uint8Array,
    sealed: Uint8Array,
  ): Promise<Uint8Array | undefined>;
  /**
   * Inflates RFC 1950 (`zlib`) or RFC 1951 (`raw`). Zero bytes after the stream are ignored.
   * Undefined when the data is malformed, followed by anything else, or larger than `maxBytes`.
   */
  inflate(data: Uint8Array, format: 'zlib' | 'raw', maxBytes: number): Promise<Uint8Array | undefined>;
  /** RFC 1950 deflate. Only tests and `session_page` compress. */
  deflate(data: Uint8Array): Promise<Uint8Array>;
  randomBytes(length: number): Uint8Array;
  /** Opens a WebSocket (RFC 6455); events arrive on `events` until exactly one `onClose`. Never throws. */
  openSocket(url: string, events: SocketEvents, options: SocketOptions): Socket;
  /** Milliseconds since the epoch. */
  now(): number;
  setTimer(callback: () => void, ms: number): { cancel(): void };
}

export interface SocketOptions {
  /** Inbound messages above this close the socket with 1009. */
  maxPayloadBytes: number;
  /** Extra certificate authorities in PEM (Node only; a browser has its own store). */
  ca?: string | undefined;
  handshakeTimeoutMs: number;
}

export interface SocketEvents {
  onOpen(): void;
  /** A binary message; a text message is reported as `undefined`. */
  onMessage(data: Uint8Array | undefined): void;
  /** Node only: the pong is not sent by the library; the owner answers with {@link Socket.pong}. */
  onPing(data: Uint8Array): void;
  onPong(data: Uint8Array): void;
  onClose(info: SocketClose): void;
}

export interface SocketClose {
  /** WebSocket close code; 1006 when there was no close frame. */
  code: number;
  reason: string;
  /** HTTP status of a refused upgrade, when the runtime tells (Node). */
  httpStatus?: number;
  /** What the refusal's `Retry-After` says in seconds (RFC 9110 §10.2.3), in milliseconds (Node). */
  retryAfterMs?: number;
  /** Short cause of a connection that never opened, such as `ECONNREFUSED`. */
  cause?: string;
}

export interface Socket {
  /** False where the runtime hides ping and pong (browsers). */
  readonly canPing: boolean;
  readonly bufferedBytes: number;
  send(data: Uint8Array): void;
  ping(data: Uint8Array): void;
  pong(data: Uint8Array): void;
  close(code: number, reason: string): void;
  /** Drops the connection without a closing handshake. */
  terminate(): void;
}
