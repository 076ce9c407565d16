/**
 * An agent that does what a test says: protocol doors only, state in memory. By itself it authorizes every device
 * that pairs, answers `inbox_request` with its items, and acks answers.
 */
import { randomBytes } from 'node:crypto';
import { FEATURES, toHex, utf8 } from '@countersign/protocol';
import { cryptoReady, namespaceIdOf, signEd25519, windowOf } from '@countersign/protocol/auth';
import {
  deriveIdentity,
  encodeLink,
  frameBody,
  type IdentityKeys,
  itemDigest,
  newX25519,
  type PairingOffer,
  suiteV2,
} from '@countersign/protocol/e2e';
import { type Incoming, type Link, openLink, type PeerChannel } from '@countersign/protocol/link';
import { newEnvelope } from '@countersign/protocol/payloads';
import { MemoryPeerStore } from '../support/link/memory-peer-store.js';
import { until } from './waiting.js';

export type Entry = Record<string, unknown>;
export type ItemKind = 'approval' | 'clarification' | 'elicitation';

const LISTS = {
  approval: 'approvals',
  clarification: 'clarifications',
  elicitation: 'elicitations',
} as const;

export interface ScriptedAgentOptions {
  relayUrl: string;
  /** What the pairing link and every snapshot name. Default: everything. */
  supports?: readonly string[];
  clock?: { now(): number };
  seed?: Uint8Array;
}

export interface ReceivedAnswer {
  device: string;
  live: boolean;
  payload: Record<string, unknown>;
}

export class ScriptedAgent {
  readonly identity: IdentityKeys;
  readonly namespaceId: Uint8Array;
  readonly store: MemoryPeerStore;
  readonly link: Link;
  readonly supports: readonly string[];
  readonly channels = new Map<string, PeerChannel>();
  readonly received: ReceivedAnswer[] = [];
  /** Pending items in order. */
  items: { kind: ItemKind; entry: Entry }[] = [];
  /** Members of every snapshot beside the lists. */
  extra: Record<string, unknown> = {};
  /** What an answer is acked with; undefined: nothing. Also changes the items. */
  onAnswer: (answer: ReceivedAnswer) => Record<string, unknown> | undefined = (answer) =>
    this.applyAnswer(answer);
  /** Whether a device that pairs is let in. */
  authorizes = true;
  sendsSnapshotsOnRequest = true;
  readonly #options: ScriptedAgentOptions;
  readonly #clock: { now(): number };
  readonly #windows = new Map<string, Awaited<ReturnType<typeof newX25519>>>();
  readonly #devices = new Set<string>();

  private constructor(
    identity: IdentityKeys,
    namespaceId: Uint8Array,
    options: ScriptedAgentOptions,
    store = new MemoryPeerStore(),
  ) {
    this.#options = options;
    this.store = store;
    this.identity = identity;
    this.namespaceId = namespaceId;
    this.supports = options.supports ?? FEATURES;
    this.#clock = options.clock ?? { now: () => Date.now() };
    this.link = openLink({
      relayUrl: options.relayUrl,
      identity: {
        role: 'agent',
        namespaceId,
        ed25519Public: identity.ed25519Public,
        sign: (message) => signEd25519(message, identity.ed25519Secret),
      },
      store: this.store,
      handler: {
        channelsOf: (peer) => [this.channels.get(peer)].filter((channel) => channel !== undefined),
        onPayload: (incoming) => ({ apply: () => undefined, after: () => this.#take(incoming) }),
        onClientPaired: async ({ deviceEd25519, deviceX25519, window }) => {
          await this.#admit(deviceEd25519, deviceX25519, toHex(window ?? new Uint8Array()));
        },
        onOnline: async () => {
          if (this.#devices.size > 0) await this.#authorize();
        },
      },
      binding: 'required',
      clock: this.#clock,
    });
  }

  static async start(options: ScriptedAgentOptions): Promise<ScriptedAgent> {
    await cryptoReady;
    const identity = await deriveIdentity(options.seed ?? new Uint8Array(randomBytes(32)));
    const agent = new ScriptedAgent(identity, await namespaceIdOf(identity.ed25519Public), options);
    agent.link.start();
    await agent.link.whenOnline({ timeoutMs: 5000 });
    return agent;
  }

  close(): Promise<void> {
    return this.link.close();
  }

  /** The same agent again, after `close`: identity, devices, counters and items are kept. */
  async reopened(): Promise<ScriptedAgent> {
    const next = new ScriptedAgent(this.identity, this.namespaceId, this.#options, this.store);
    next.items = this.items;
    for (const [device, channel] of this.channels) next.channels.set(device, channel);
    for (const device of this.#devices) next.#devices.add(device);
    next.link.start();
    await next.link.whenOnline({ timeoutMs: 5000 });
    return next;
  }

  get namespaceHex(): string {
    return toHex(this.namespaceId);
  }

  get devices(): string[] {
    return [...this.#devices];
  }

  /** A pairing link of a new window. */
  async pairingLink(change: Partial<PairingOffer> = {}): Promise<string> {
    const keys = await newX25519();
    const token = new Uint8Array(randomBytes(32));
    this.#windows.set(toHex(await windowOf(token)), keys);
    await this.link.pairingStart(token, 300);
    return encodeLink({
      relayUrl: this.#options.relayUrl,
      namespaceId: this.namespaceId,
      agentEd25519: this.identity.ed25519Public,
      agentX25519: keys.publicKey,
      token,
      name: 'demo agent',
      exp: Math.floor(Date.now() / 1000) + 300,
      supports: [...this.supports],
      relayBinding: true,
      ...change,
    });
  }

  /** Lets in the devices that paired while `authorizes` was false. */
  async authorizeAll(): Promise<void> {
    for (const device of this.channels.keys()) this.#devices.add(device);
    await this.#authorize();
  }

  async revokeAll(): Promise<void> {
    this.#devices.clear();
    await this.link.authorize([]);
  }

  /** Adds an item with its digest, and sends every device the new snapshot. */
  async ask(kind: ItemKind, members: Entry): Promise<Entry> {
    const entry = await this.entry(kind, members);
    this.items.push({ kind, entry });
    await this.broadcast();
    return entry;
  }

  async entry(kind: ItemKind, members: Entry): Promise<Entry> {
    const now = this.#clock.now();
    const bare = { created_at: now, expires_at: now + 60_000, ...DEFAULTS[kind], ...members };
    return { digest: await itemDigest(kind, this.namespaceHex, bare), ...bare };
  }

  /** Takes an item away and tells every device. */
  async end(requestId: string): Promise<void> {
    this.items = this.items.filter(({ entry }) => entry.request_id !== requestId);
    await this.broadcast();
  }

  snapshot(): Record<string, unknown> {
    const list = (kind: ItemKind) =>
      this.items.filter((item) => item.kind === kind).map(({ entry }) => entry);
    return {
      ...newEnvelope('inbox_update', this.#clock.now(), new Uint8Array(randomBytes(16))),
      badge: this.items.length,
      supports: [...this.supports],
      [LISTS.approval]: list('approval'),
      [LISTS.clarification]: list('clarification'),
      [LISTS.elicitation]: list('elicitation'),
      ...this.extra,
    };
  }

  async broadcast(): Promise<void> {
    for (const device of this.#devices) await this.sendLive(device, this.snapshot());
  }

  async sendLive(device: string, payload: object): Promise<void> {
    await this.link.sendLive(this.channelOf(device), payload);
  }

  async queue(device: string, payload: object): Promise<void> {
    await this.link.queue(this.channelOf(device), payload);
  }

  /** Sends under a counter of the test's choice, as a replay or a held-back message would come. */
  async sendLiveAt(device: string, payload: object, counter: number): Promise<void> {
    const channel = this.channelOf(device);
    const sealed: PeerChannel['sealed'] = {
      suite: channel.sealed.suite,
      seal: (_, framed) => channel.sealed.seal(counter, framed),
      open: (nonce, ciphertext) => channel.sealed.open(nonce, ciphertext),
    };
    await this.link.sendLive({ ...channel, sealed }, payload);
  }

  /** The highest counter a message to this device may have had. */
  highWater(device: string): number {
    return this.store.highWater.get(this.channelOf(device).id) ?? 0;
  }

  notification(members: Record<string, unknown>): Record<string, unknown> {
    return {
      ...newEnvelope('notification', this.#clock.now(), new Uint8Array(randomBytes(16))),
      title: 'demo agent',
      ...members,
    };
  }

  ack(answer: ReceivedAnswer, members: Record<string, unknown>): Record<string, unknown> {
    return {
      ...newEnvelope('ack', this.#clock.now(), new Uint8Array(randomBytes(16))),
      ref_id: answer.payload.id,
      request_id: answer.payload.request_id,
      ...members,
    };
  }

  /** What a push with this payload would carry. */
  async push(device: string, payload: object, counter: number): Promise<Record<string, string>> {
    const framed = frameBody(utf8(JSON.stringify(payload)), 'queued');
    const { nonce, ciphertext } = await this.channelOf(device).sealed.seal(counter, framed);
    return {
      ns: this.namespaceHex,
      from: toHex(this.identity.ed25519Public),
      n: toHex(nonce),
      c: Buffer.from(ciphertext).toString('base64'),
    };
  }

  answers(requestId: string): ReceivedAnswer[] {
    return this.received.filter(({ payload }) => payload.request_id === requestId && isAnswer(payload));
  }

  /** The n-th answer to an item (from 1), when it has come. */
  answer(requestId: string, nth = 1): Promise<ReceivedAnswer> {
    return until(() => this.answers(requestId)[nth - 1]);
  }

  payload(kind: string): Promise<ReceivedAnswer> {
    return until(() => this.received.find(({ payload }) => payload.kind === kind));
  }

  /** As a real agent does: first answer wins, the item leaves. */
  applyAnswer(answer: ReceivedAnswer): Record<string, unknown> {
    const index = this.items.findIndex(({ entry }) => entry.request_id === answer.payload.request_id);
    if (index === -1) return { status: 'unknown' };
    this.items.splice(index, 1);
    return { status: 'applied', outcome: answer.payload.decision ?? 'answered' };
  }

  channelOf(device: string): PeerChannel {
    const channel = this.channels.get(device);
    if (channel === undefined) throw new Error('no such device');
    return channel;
  }

  async #admit(device: Uint8Array, x25519: Uint8Array, window: string): Promise<void> {
    const keys = this.#windows.get(window);
    if (keys === undefined) return;
    const peer = toHex(device);
    const sealed = await suiteV2.open({
      role: 'agent',
      namespaceId: this.namespaceId,
      agentEd25519: this.identity.ed25519Public,
      deviceEd25519: device,
      mySecret: keys.secretKey,
      theirPublic: x25519,
    });
    this.channels.set(peer, { id: `${peer}.${toHex(keys.publicKey).slice(0, 16)}`, peer, sealed });
    if (this.authorizes) {
      this.#devices.add(peer);
      await this.#authorize();
    }
  }

  async #authorize(): Promise<void> {
    await this.link.authorize([...this.#devices].map((hex) => new Uint8Array(Buffer.from(hex, 'hex'))));
  }

  async #take({ channel, live, payload }: Incoming): Promise<void> {
    const answer = { device: channel.peer, live, payload };
    this.received.push(answer);
    if (payload.kind === 'inbox_request' && this.sendsSnapshotsOnRequest) {
      await this.sendLive(channel.peer, this.snapshot());
    }
    if (!isAnswer(payload)) return;
    const members = this.onAnswer(answer);
    if (members === undefined) return;
    if (this.supports.includes('acks')) await this.sendLive(channel.peer, this.ack(answer, members));
    await this.broadcast();
  }
}

function isAnswer(payload: Record<string, unknown>): boolean {
  return typeof payload.kind === 'string' && payload.kind.endsWith('_response');
}

let serial = 0;

const DEFAULTS: Record<ItemKind, Entry> = {
  get approval() {
    serial += 1;
    return {
      request_id: `appr_${serial}`,
      tool_name: 'write_file',
      agent_label: 'demo agent',
      summary: 'Write notes.txt',
      arguments: { path: 'notes.txt' },
      risk: 'normal',
    };
  },
  get clarification() {
    serial += 1;
    return { request_id: `clar_${serial}`, question: 'Which branch?', agent_label: 'demo agent' };
  },
  get elicitation() {
    serial += 1;
    return {
      request_id: `elic_${serial}`,
      server_name: 'vault',
      message: 'The token, please',
      field_name: 'token',
      sensitive: false,
      is_confirmation: false,
    };
  },
};
