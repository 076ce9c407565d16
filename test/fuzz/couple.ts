/**
 * An agent and a device of one fuzzer, on sockets that say anything. One sends hostile frames, both read what comes.
 * What the frames broke (a login, an authorization, a connection) is put right before the next batch. Must not know
 * how frames are made.
 */
import { randomBytes } from 'node:crypto';
import { decodeFrame, encodeFrame, peekMessage, WIRE } from '@countersign/protocol';
import {
  agentRole,
  clientRole,
  type Keys,
  namespaceIdOf,
  newKeys,
  pairingRole,
} from '../support/relay/raw-peer.js';
import { nextFrame, rawLogin } from '../support/trials/raw-login.js';
import { frame, OPCODE, type RawSocket } from '../support/trials/raw-socket.js';
import { MARKER } from './hostile-frames.js';

export type Side = 'agent' | 'device';

/** What the relay must do with a frame of a logged-in peer. */
export type Fate = 'stays' | 'closes';

/** 01 §4: undecodable or over the size limit ends the connection, everything else leaves it. */
export function fateOf(bytes: Uint8Array): Fate {
  if (bytes.length > WIRE.maxLiveFrameBytes) return 'closes';
  const decoded = peekMessage(bytes) ?? decodeFrame(bytes);
  if (decoded === undefined) return 'closes';
  const isLive = 'live' in decoded && decoded.live;
  return bytes.length > WIRE.maxQueuedFrameBytes && !isLive ? 'closes' : 'stays';
}

/** Frames only the relay sends. */
const FROM_RELAY = new Set([
  'auth_error',
  'authorize_ok',
  'pairing_ready',
  'pairing_stop_ok',
  'client_paired',
  'message',
  'peer_offline',
  'presence_list',
  'presence_event',
  'error',
]);

export class Couple {
  readonly port: number;
  readonly #keys: Readonly<Record<Side, Keys>> = { agent: newKeys(), device: newKeys() };
  readonly #sockets: Partial<Record<Side, RawSocket>> = {};
  #namespaceId: Uint8Array = new Uint8Array(32);
  logins = 0;
  /** How connections ended, and what was refused. */
  readonly seen = new Map<string, number>();

  constructor(port: number) {
    this.port = port;
  }

  peerOf(side: Side): Uint8Array {
    return this.#keys[side === 'agent' ? 'device' : 'agent'].publicKey;
  }

  /** Both logged in and the device authorized. */
  async ready(): Promise<void> {
    this.#namespaceId = await namespaceIdOf(this.#keys.agent.publicKey);
    for (const side of ['agent', 'device'] as const) {
      if (!this.isConnected(side)) await this.#enter(side);
    }
  }

  isConnected(side: Side): boolean {
    return this.#sockets[side]?.ended === false;
  }

  /** Sends the frames and waits until the relay has dealt with them. @throws Error when one had another fate than its own. */
  async send(side: Side, frames: readonly Uint8Array[]): Promise<void> {
    const socket = this.#sockets[side] as RawSocket;
    const mark = new Uint8Array(randomBytes(8));
    socket.socket.cork();
    for (const bytes of frames) socket.send(bytes);
    socket.write(frame(OPCODE.ping, mark));
    socket.socket.uncork();
    const isAnswer = ({ opcode, payload }: { opcode: number; payload: Buffer }) =>
      opcode === OPCODE.pong && payload.equals(mark);
    await socket.until(() => socket.ended || socket.received.some(isAnswer));
    const expected = frames.some((bytes) => fateOf(bytes) === 'closes') ? 'closes' : 'stays';
    const actual = socket.ended ? 'closes' : 'stays';
    this.#read();
    if (actual !== expected) {
      throw new Error(
        `the relay ${actual} after frames after which it ${expected} (${String(socket.closeCode)})`,
      );
    }
  }

  close(): void {
    for (const socket of Object.values(this.#sockets)) socket.destroy();
  }

  async #enter(side: Side): Promise<void> {
    this.logins++;
    const keys = this.#keys[side];
    const role = side === 'agent' ? agentRole(keys) : clientRole(keys, { namespaceId: this.#namespaceId });
    const { socket, answer } = await rawLogin({ port: this.port }, keys, role);
    if (answer === 'auth_ok') {
      this.#sockets[side] = socket;
    } else if (side === 'device' && answer === 'unauthorized') {
      await this.#pair();
      await this.#enter('device');
    } else throw new Error(`a login of the fuzzer's own ${side} was answered ${answer}`);
  }

  async #pair(): Promise<void> {
    const agent = this.#sockets.agent as RawSocket;
    const { device } = this.#keys;
    const token = new Uint8Array(randomBytes(32));
    agent.send(encodeFrame({ type: 'pairing_start', pairingToken: token, ttl: 0 }));
    await this.#answered(agent, 'pairing_ready');
    const role = pairingRole(device, { namespaceId: this.#namespaceId, token });
    const { answer } = await rawLogin({ port: this.port }, device, role);
    if (answer !== 'auth_ok') throw new Error(`a pairing of the fuzzer's own device was answered ${answer}`);
    agent.send(encodeFrame({ type: 'authorize', clients: [device.publicKey] }));
    await this.#answered(agent, 'authorize_ok');
  }

  async #answered(socket: RawSocket, type: string): Promise<void> {
    for (;;) {
      const next = await nextFrame(socket);
      if (next === undefined) throw new Error(`the fuzzer's own agent was closed instead of ${type}`);
      if (next.type === type) return;
    }
  }

  /** What came must be frames of a relay, and its own words must hold nothing of ours. */
  #read(): void {
    for (const socket of Object.values(this.#sockets)) {
      for (const { opcode, payload } of socket.received.splice(0))
        if (opcode === OPCODE.binary) this.#check(payload);
      if (socket.ended) this.#count(`closed ${String(socket.closeCode)}`);
    }
  }

  #check(payload: Buffer): void {
    const decoded = decodeFrame(payload);
    if (decoded === undefined || !FROM_RELAY.has(decoded.type)) {
      throw new Error(
        `the relay sent what is no frame of its own: ${decoded?.type ?? payload.toString('hex')}`,
      );
    }
    if (decoded.type !== 'error') return;
    if (`${decoded.code} ${decoded.message}`.includes(MARKER))
      throw new Error('an error repeats what was sent');
    this.#count(decoded.code);
  }

  #count(what: string): void {
    this.seen.set(what, (this.seen.get(what) ?? 0) + 1);
  }
}
