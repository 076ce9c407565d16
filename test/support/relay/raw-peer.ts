/**
 * A peer made of nothing but a WebSocket, the frame codec and a key: says exactly what a test tells it to and
 * shows everything it hears. Must not know the SDKs.
 */
import { randomBytes } from 'node:crypto';
import {
  type AuthRole,
  decodeFrame,
  encodeFrame,
  type FrameOf,
  type FrameType,
  type RelayFrame,
} from '@countersign/protocol';
import { challengeText, cryptoReady, namespaceIdOf, signEd25519 } from '@countersign/protocol/auth';
import sodium from 'libsodium-wrappers';
import WebSocket, { type ClientOptions } from 'ws';

await cryptoReady;

export interface Keys {
  readonly publicKey: Uint8Array;
  readonly secretKey: Uint8Array;
}

export function newKeys(): Keys {
  const { publicKey, privateKey } = sodium.crypto_sign_keypair();
  return { publicKey, secretKey: privateKey };
}

export interface Closed {
  readonly code: number;
  readonly reason: string;
}

type Waiter = () => void;

export class RawPeer {
  readonly ws: WebSocket;
  readonly frames: RelayFrame[] = [];
  readonly pings: Buffer[] = [];
  readonly pongs: Buffer[] = [];
  /** Frames, pings and pongs in the order they came. */
  readonly heard: string[] = [];
  closed: Closed | undefined;
  /** Set to false to stay silent when the relay asks for proof. */
  answersPings = true;
  #waiters: Waiter[] = [];

  constructor(url: string, options: ClientOptions = {}) {
    this.ws = new WebSocket(url.endsWith('/v1/ws') ? url : `${url}/v1/ws`, { autoPong: false, ...options });
    this.ws.on('error', () => undefined);
    this.ws.on('message', (data) => this.#onFrame(data as Buffer));
    this.ws.on('ping', (payload) => this.#onPing(payload));
    this.ws.on('pong', (payload) => this.#note(() => this.pongs.push(payload), 'pong'));
    this.ws.on('close', (code, reason) =>
      this.#note(() => {
        this.closed = { code, reason: reason.toString() };
      }, 'close'),
    );
  }

  send(frame: RelayFrame): void {
    this.sendBytes(encodeFrame(frame));
  }

  sendBytes(bytes: Uint8Array | string): void {
    this.ws.send(bytes);
  }

  /** Takes the next frame of this type that was not taken yet. */
  async next<T extends FrameType>(type: T): Promise<FrameOf<T>> {
    const frame = await this.until(() => this.frames.find((candidate) => candidate.type === type));
    this.frames.splice(this.frames.indexOf(frame), 1);
    return frame as FrameOf<T>;
  }

  /** Takes the next frame, whatever it is. */
  async any(): Promise<RelayFrame> {
    await this.until(() => this.frames[0]);
    return this.frames.shift() as RelayFrame;
  }

  whenClosed(): Promise<Closed> {
    return this.until(() => this.closed);
  }

  /** Everything sent before is handled once this resolves: the relay answers a ping after all that came before it. */
  async settled(): Promise<void> {
    const payload = randomBytes(8);
    this.ws.ping(payload);
    await this.until(() => this.pongs.find((pong) => pong.equals(payload)));
  }

  async until<T>(probe: () => T | undefined | false): Promise<T> {
    for (;;) {
      const found = probe();
      if (found) return found;
      if (this.closed && this.frames.length === 0 && !probe()) {
        throw new Error(`closed ${this.closed.code} ${this.closed.reason} while waiting`);
      }
      await new Promise<void>((resolve) => this.#waiters.push(resolve));
    }
  }

  close(): void {
    this.ws.terminate();
  }

  #onFrame(data: Buffer): void {
    const frame = decodeFrame(data);
    if (frame) this.#note(() => this.frames.push(frame), frame.type);
  }

  #onPing(payload: Buffer): void {
    if (this.answersPings) this.ws.pong(payload);
    this.#note(() => this.pings.push(payload), 'ping');
  }

  #note(change: () => void, what: string): void {
    change();
    this.heard.push(what);
    const waiters = this.#waiters;
    this.#waiters = [];
    for (const wake of waiters) wake();
  }
}

export interface AuthExtras {
  readonly capabilities?: string[];
  readonly invite?: string;
  readonly signature?: Uint8Array;
}

export async function authFrame(
  peer: RawPeer,
  keys: Keys,
  role: AuthRole,
  { capabilities = ['window'], ...extras }: AuthExtras = {},
): Promise<FrameOf<'auth'>> {
  const { nonce } = await peer.next('challenge');
  const signature = signEd25519(challengeText(nonce), keys.secretKey);
  return { type: 'auth', role, signature, capabilities, ...extras };
}

export function agentRole(keys: Keys): AuthRole {
  return { kind: 'agent', agentEd25519Pub: keys.publicKey };
}

export interface DeviceFields {
  readonly namespaceId: Uint8Array;
  readonly platform?: number;
  readonly deviceToken?: string;
}

export function clientRole(
  keys: Keys,
  { namespaceId, platform = 3, deviceToken = '' }: DeviceFields,
): AuthRole {
  return { kind: 'client', namespaceId, clientEd25519Pub: keys.publicKey, deviceToken, platform };
}

export interface PairingFields extends DeviceFields {
  readonly token: Uint8Array;
  readonly x25519?: Uint8Array;
}

export function pairingRole(keys: Keys, fields: PairingFields): AuthRole {
  const { namespaceId, token, x25519 = keys.publicKey, platform = 3, deviceToken = '' } = fields;
  return {
    kind: 'pairing',
    namespaceId,
    clientEd25519Pub: keys.publicKey,
    clientX25519Pub: x25519,
    pairingToken: token,
    deviceToken,
    platform,
  };
}

/** What a refused login hears: the error, then how the connection ended. */
export async function refusal(peer: RawPeer): Promise<{ error: string; close: number }> {
  const { code } = await peer.next('auth_error');
  return { error: code, close: (await peer.whenClosed()).code };
}

export { namespaceIdOf };
