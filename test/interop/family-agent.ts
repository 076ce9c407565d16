/**
 * An agent of the original family: one static key pair, numbered requests, snapshots by queue on every change and
 * live on request, devices let in as they come; reads answers by the family's rules. Must not know our SDKs.
 */
import { randomBytes, randomUUID } from 'node:crypto';
import { FamilyChannel, type FamilyKeys, namespaceOf } from './family-keys.js';
import { asAgent, FamilySocket } from './family-socket.js';

type Json = Record<string, unknown>;

export interface Lists {
  approvals: Json[];
  clarifications: Json[];
  elicitations: Json[];
}

const WINDOW_SECONDS = 300;
const MAX_I64 = 2n ** 63n - 1n;

export class FamilyAgent {
  readonly lists: Lists = { approvals: [], clarifications: [], elicitations: [] };
  /** What the family's parser makes of each payload; `unknown` is what it throws away. */
  readonly received: Json[] = [];
  readonly #keys: FamilyKeys;
  readonly #port: number;
  readonly #socket: FamilySocket;
  readonly #channels = new Map<string, FamilyChannel>();
  #wake: () => void = () => undefined;

  private constructor(keys: FamilyKeys, port: number, socket: FamilySocket) {
    this.#keys = keys;
    this.#port = port;
    this.#socket = socket;
  }

  static async start(port: number, keys: FamilyKeys): Promise<FamilyAgent> {
    const socket = new FamilySocket(port);
    await socket.logIn(keys, asAgent(keys));
    await socket.frame('auth_ok');
    socket.send({ type: 'authorize', clients: [] });
    const agent = new FamilyAgent(keys, port, socket);
    void agent.#serve();
    return agent;
  }

  /** Opens a window; its relay address ends in the path, as the family configures it. */
  async qrJson(): Promise<string> {
    const token = randomBytes(32);
    this.#socket.send({ type: 'pairing_start', pairingToken: token, ttl: WINDOW_SECONDS });
    return JSON.stringify({
      v: 1,
      relay_url: `ws://127.0.0.1:${this.#port}/v1/ws`,
      namespace_id: namespaceOf(this.#keys.ed25519).toString('hex'),
      agent_ed25519_pub: this.#keys.ed25519.toString('hex'),
      agent_x25519_pub: this.#keys.x25519.toString('hex'),
      pairing_token: token.toString('hex'),
    });
  }

  async until(fits: (payload: Json) => boolean): Promise<Json> {
    for (;;) {
      const found = this.received.find(fits);
      if (found !== undefined) return found;
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }

  /** To every device, by queue. */
  broadcast(): void {
    for (const device of this.#channels.keys()) this.#send(device, this.#snapshot(), false);
  }

  get deviceCount(): number {
    return this.#channels.size;
  }

  stop(): void {
    this.#socket.vanish();
  }

  async #serve(): Promise<void> {
    for (;;) {
      const frame = await this.#socket.any().catch(() => undefined);
      if (frame === undefined && this.#socket.isOver) return;
      if (frame?.type === 'client_paired') this.#admit(frame.clientEd25519Pub, frame.clientX25519Pub);
      if (frame?.type === 'message') this.#handle(Buffer.from(frame.peer).toString('hex'), frame);
      this.#wake();
    }
  }

  #admit(ed25519: Uint8Array, x25519: Uint8Array): void {
    const namespaceId = namespaceOf(this.#keys.ed25519);
    const ends = {
      role: 'agent' as const,
      own: this.#keys,
      peerEd25519: ed25519,
      peerX25519: x25519,
      namespaceId,
    };
    this.#channels.set(Buffer.from(ed25519).toString('hex'), new FamilyChannel(ends));
    this.#authorize();
    this.broadcast();
  }

  #authorize(): void {
    const clients = [...this.#channels.keys()].map((device) => Buffer.from(device, 'hex'));
    this.#socket.send({ type: 'authorize', clients });
  }

  #handle(device: string, sealed: { nonce: Uint8Array; ciphertext: Uint8Array }): void {
    const text = this.#channels.get(device)?.open(sealed);
    if (text === undefined) return;
    const payload = parse(text);
    this.received.push(payload);
    if (payload.kind === 'inbox_request') this.#send(device, this.#snapshot(), true);
    if (payload.kind === 'logout') {
      this.#channels.delete(device);
      this.#authorize();
    }
    if (typeof payload.request_id === 'bigint') this.#resolve(payload.request_id);
  }

  #resolve(requestId: bigint): void {
    for (const name of ['approvals', 'clarifications', 'elicitations'] as const) {
      this.lists[name] = this.lists[name].filter((item) => item.request_id !== requestId.toString());
    }
    this.broadcast();
  }

  #snapshot(): Json {
    const { approvals, clarifications, elicitations } = this.lists;
    const badge = approvals.length + clarifications.length + elicitations.length;
    return {
      v: 1,
      kind: 'inbox_update',
      id: randomUUID(),
      ts: Date.now(),
      badge,
      approvals,
      clarifications,
      elicitations,
    };
  }

  #send(device: string, payload: Json, live: boolean): void {
    const sealed = this.#channels.get(device)?.seal(payload);
    if (sealed) this.#socket.send({ type: 'message', ...sealed, peer: Buffer.from(device, 'hex'), live });
  }
}

/** The family's rules: `v` 1, a request id that is a decimal text within 64 bits, words from short lists. */
function parse(text: string): Json {
  const raw = JSON.parse(text) as Json;
  const unknown = { kind: 'unknown', raw };
  if (raw.v !== 1) return unknown;
  if (raw.kind === 'hello') return isObject(raw.device_info) ? raw : unknown;
  if (raw.kind === 'inbox_request' || raw.kind === 'logout') return { kind: raw.kind };
  const requestId = readRequestId(raw.request_id);
  if (requestId === undefined) return unknown;
  const answer = { ...raw, request_id: requestId };
  if (raw.kind === 'approval_response')
    return isWord(raw.decision, ['approved', 'rejected']) ? answer : unknown;
  if (raw.kind === 'clarification_response') return typeof raw.answer === 'string' ? answer : unknown;
  if (raw.kind !== 'elicitation_response' || !isWord(raw.action, ['accept', 'decline', 'cancel']))
    return unknown;
  return isObject(raw.content) ? answer : { ...answer, content: undefined };
}

function readRequestId(value: unknown): bigint | undefined {
  if (typeof value !== 'string' || !/^\d{1,19}$/.test(value)) return undefined;
  return BigInt(value) <= MAX_I64 ? BigInt(value) : undefined;
}

function isObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isWord(value: unknown, words: readonly string[]): boolean {
  return typeof value === 'string' && words.includes(value);
}
