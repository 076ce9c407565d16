/** A real relay and peers of the original family at it, for one test. Must not decide what is tested. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type RelayConfigInput, type RunningRelay, startRelay } from '@countersign/server';
import { expect } from 'vitest';
import { type FamilyKeys, namespaceOf } from './family-keys.js';
import { asAgent, asClient, asPairing, FamilySocket } from './family-socket.js';

export type StoreKind = 'memory' | 'sqlite';
export const stores: readonly StoreKind[] = ['memory', 'sqlite'];

export const TOKEN = Buffer.alloc(32, 0x11);
const WINDOW_SECONDS = 300;
const PRESENCE = { online: 1, offline: 2 } as const;

export class FamilyRelay {
  readonly running: RunningRelay;
  readonly #dir: string | undefined;
  readonly #sockets: FamilySocket[] = [];

  private constructor(running: RunningRelay, dir: string | undefined) {
    this.running = running;
    this.#dir = dir;
  }

  static async start(store: StoreKind = 'memory', config: RelayConfigInput = {}): Promise<FamilyRelay> {
    const dir = store === 'sqlite' ? mkdtempSync(join(tmpdir(), 'countersign-family-')) : undefined;
    const place = dir === undefined ? 'memory' : join(dir, 'relay.sqlite');
    const running = await startRelay({ port: 0, opsPort: 'off', store: place, ...config });
    return new FamilyRelay(running, dir);
  }

  dial(): FamilySocket {
    const socket = new FamilySocket(this.running.port);
    this.#sockets.push(socket);
    return socket;
  }

  async agent(keys: FamilyKeys): Promise<FamilySocket> {
    const socket = this.dial();
    await socket.logIn(keys, asAgent(keys));
    const { namespaceId } = await socket.frame('auth_ok');
    expect(Buffer.from(namespaceId)).toEqual(namespaceOf(keys.ed25519));
    return socket;
  }

  async client(keys: FamilyKeys, agent: FamilyKeys): Promise<FamilySocket> {
    const socket = this.dial();
    await socket.logIn(keys, asClient(keys, agent));
    await socket.frame('auth_ok');
    return socket;
  }

  /** A device shows the token; the socket is still there afterwards. */
  async pairing(keys: FamilyKeys, agent: FamilyKeys, token: Uint8Array = TOKEN): Promise<FamilySocket> {
    const socket = this.dial();
    await socket.logIn(keys, asPairing(keys, agent, token));
    await socket.frame('auth_ok');
    return socket;
  }

  /** Window, pairing, authorization: every frame the agent hears meanwhile, in order. */
  async admit(socket: FamilySocket, agent: FamilyKeys, device: FamilyKeys): Promise<void> {
    socket.send({ type: 'pairing_start', pairingToken: TOKEN, ttl: WINDOW_SECONDS });
    expect((await socket.frame('pairing_ready')).ttl).toBe(WINDOW_SECONDS);
    (await this.pairing(device, agent)).vanish();
    const paired = await socket.frame('client_paired');
    expect(Buffer.from(paired.clientEd25519Pub)).toEqual(device.ed25519);
    expect(Buffer.from(paired.clientX25519Pub)).toEqual(device.x25519);
    expect(paired.platform).toBe(1);
    socket.send({ type: 'authorize', clients: [device.ed25519] });
    expect((await socket.frame('authorize_ok')).authorized).toBe(1);
  }

  /** An agent and one authorized device, both connected, nothing left to hear. */
  async couple(agent: FamilyKeys, device: FamilyKeys): Promise<{ agent: FamilySocket; app: FamilySocket }> {
    const socket = await this.agent(agent);
    await this.admit(socket, agent, device);
    const app = await this.client(device, agent);
    await hearsPresence(socket, device, 'online');
    return { agent: socket, app };
  }

  async close(): Promise<void> {
    for (const socket of this.#sockets) socket.vanish();
    await this.running.close();
    if (this.#dir !== undefined) rmSync(this.#dir, { recursive: true, force: true });
  }
}

export async function hearsPresence(
  socket: FamilySocket,
  of: FamilyKeys,
  status: keyof typeof PRESENCE,
): Promise<void> {
  const event = await socket.frame('presence_event');
  expect(Buffer.from(event.pubkey)).toEqual(of.ed25519);
  expect(event.status).toBe(PRESENCE[status]);
}

/** Takes the next frames, messages all; their nonces. */
export async function hearsMessages(socket: FamilySocket, count: number): Promise<string[]> {
  const all: string[] = [];
  for (let i = 0; i < count; i++) all.push(...noncesOf([await socket.frame('message')]));
  return all;
}

export function noncesOf(messages: readonly { nonce: Uint8Array }[]): string[] {
  return messages.map(({ nonce }) => Buffer.from(nonce).toString('hex'));
}

let counter = 0;

/** A sealed message as a relay sees it. */
export function envelope(to: FamilyKeys, live: boolean, ciphertext: Uint8Array = Buffer.alloc(32)) {
  const nonce = Buffer.alloc(12);
  counter += 1;
  nonce.writeUInt32BE(counter, 8);
  return { type: 'message' as const, ciphertext, nonce, peer: to.ed25519, live };
}
