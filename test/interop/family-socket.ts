/**
 * A peer of the original family on the wire: announces no capability, takes what it hears strictly in order, answers
 * pings by itself, and ends as such peers end (close frame, vanished, reset). Must not know our SDKs.
 */
import { randomBytes } from 'node:crypto';
import { connect, type Socket } from 'node:net';
import {
  type AuthRole,
  decodeFrame,
  encodeFrame,
  type FrameOf,
  type FrameType,
  type RelayFrame,
} from '@countersign/protocol';
import WebSocket from 'ws';
import { type FamilyKeys, namespaceOf } from './family-keys.js';

type Heard = { readonly frame: RelayFrame; readonly bytes: Buffer } | { readonly closed: number };

const PATIENCE_MS = 5_000;

export class FamilySocket {
  readonly #ws: WebSocket;
  readonly #socket: Socket;
  readonly #heard: Heard[] = [];
  readonly #pongs: string[] = [];
  #wake: () => void = () => undefined;
  /** The last frame taken, as it came. */
  lastBytes: Buffer = Buffer.alloc(0);

  constructor(port: number) {
    this.#socket = connect(port, '127.0.0.1');
    this.#ws = new WebSocket(`ws://127.0.0.1:${port}/v1/ws`, { createConnection: () => this.#socket });
    this.#ws.on('error', () => undefined);
    this.#ws.on('message', (data, isBinary) => this.#onMessage(data as Buffer, isBinary));
    this.#ws.on('pong', (payload) => this.#note(() => this.#pongs.push(payload.toString('hex'))));
    this.#ws.on('close', (code) => this.#note(() => this.#heard.push({ closed: code })));
  }

  /** The next thing heard must be this frame: original test code stops at anything else. */
  async frame<T extends FrameType>(type: T): Promise<FrameOf<T>> {
    const next = await this.#next(type);
    if ('closed' in next) throw new Error(`expected ${type}, the relay closed (${next.closed})`);
    if (next.frame.type !== type) throw new Error(`expected ${type}, heard ${describe(next.frame)}`);
    this.lastBytes = next.bytes;
    return next.frame as FrameOf<T>;
  }

  /** The next frame, whatever it is. */
  async any(): Promise<RelayFrame> {
    const next = await this.#next('a frame');
    if ('closed' in next) throw new Error(`expected a frame, the relay closed (${next.closed})`);
    return next.frame;
  }

  /** The next thing heard must be the end. */
  async end(): Promise<number> {
    const next = await this.#next('the end');
    if ('closed' in next) return next.closed;
    throw new Error(`expected the end, heard ${describe(next.frame)}`);
  }

  /** Everything sent so far is dealt with, and nothing came back that was not taken. */
  async hearsNothing(): Promise<void> {
    const payload = randomBytes(4);
    this.#ws.ping(payload);
    await this.#until(() => this.#pongs.includes(payload.toString('hex')), 'a pong');
    const [next] = this.#heard;
    if (next)
      throw new Error(`expected nothing, heard ${'closed' in next ? next.closed : describe(next.frame)}`);
  }

  /** Closed, and everything heard was taken. */
  get isOver(): boolean {
    return this.#ws.readyState === WebSocket.CLOSED && this.#heard.length === 0;
  }

  /** Resolves with the pong's payload. */
  async ping(payload: string): Promise<string> {
    this.#ws.ping(payload);
    await this.#until(() => this.#pongs.length > 0, 'a pong');
    return Buffer.from(this.#pongs.shift() ?? '', 'hex').toString();
  }

  send(frame: RelayFrame): void {
    this.sendRaw(encodeFrame(frame));
  }

  sendRaw(data: Uint8Array | string): void {
    this.#ws.send(data);
  }

  /** Says goodbye and waits for nothing. */
  close(): void {
    this.#ws.close(1000);
  }

  /** Gone without a close frame; `reset` is what a socket does that was dropped with unread bytes. */
  vanish(how: 'end' | 'reset' = 'end'): void {
    if (how === 'reset') this.#socket.resetAndDestroy();
    else this.#socket.destroy();
  }

  /** Answers the challenge as this role. */
  async logIn(keys: FamilyKeys, role: AuthRole): Promise<void> {
    const { nonce } = await this.frame('challenge');
    if (nonce.length !== 32) throw new Error('a challenge has 32 bytes');
    this.send({ type: 'auth', role, signature: keys.login(nonce), capabilities: [] });
  }

  async #next(what: string): Promise<Heard> {
    await this.#until(() => this.#heard.length > 0, what);
    return this.#heard.shift() as Heard;
  }

  async #until(isThere: () => boolean, what: string): Promise<void> {
    const deadline = Date.now() + PATIENCE_MS;
    while (!isThere()) {
      const left = deadline - Date.now();
      if (left <= 0) throw new Error(`waited in vain for ${what}`);
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, left);
        this.#wake = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    }
  }

  #onMessage(data: Buffer, isBinary: boolean): void {
    const frame = decodeFrame(data);
    if (!isBinary || frame === undefined) throw new Error('the relay sent what is no frame');
    this.#note(() => this.#heard.push({ frame, bytes: data }));
  }

  #note(change: () => void): void {
    change();
    this.#wake();
  }
}

function describe(frame: RelayFrame): string {
  const code =
    frame.type === 'error' || frame.type === 'auth_error' ? ` ${frame.code} (${frame.message})` : '';
  return frame.type + code;
}

export const PLATFORM_IOS = 1;
export const PLATFORM_ANDROID = 2;

export function asAgent(keys: FamilyKeys): AuthRole {
  return { kind: 'agent', agentEd25519Pub: keys.ed25519 };
}

export function asClient(keys: FamilyKeys, agent: FamilyKeys, platform = PLATFORM_IOS): AuthRole {
  const namespaceId = namespaceOf(agent.ed25519);
  return { kind: 'client', namespaceId, clientEd25519Pub: keys.ed25519, deviceToken: 'devtok', platform };
}

export function asPairing(
  keys: FamilyKeys,
  agent: FamilyKeys,
  token: Uint8Array,
  platform = PLATFORM_IOS,
): AuthRole {
  return {
    kind: 'pairing',
    namespaceId: namespaceOf(agent.ed25519),
    clientEd25519Pub: keys.ed25519,
    clientX25519Pub: keys.x25519,
    pairingToken: token,
    deviceToken: 'devtok',
    platform,
  };
}

/** Numbers of the fields inside a frame's one member, in the order written (proto3, all below 16 here). */
export function innerFields(frame: Uint8Array): number[] {
  const bytes = Buffer.from(frame);
  let at = 1;
  const varint = (): number => {
    let value = 0;
    for (let shift = 0; ; shift += 7) {
      const byte = bytes[at++] ?? 0;
      value += (byte & 127) * 2 ** shift;
      if (byte < 128) return value;
    }
  };
  varint();
  const fields: number[] = [];
  while (at < bytes.length) {
    const tag = varint();
    fields.push(tag >> 3);
    const value = varint();
    if ((tag & 7) === 2) at += value;
  }
  return fields;
}
