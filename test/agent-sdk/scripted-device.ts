/**
 * A device made of protocol doors alone, which does just what a test tells it, wrong things included. Must not
 * import the client SDK: it stands for a device somebody else wrote.
 */
import { randomBytes, randomUUID } from 'node:crypto';
import { PLATFORM, toHex } from '@countersign/protocol';
import { signEd25519 } from '@countersign/protocol/auth';
import {
  deriveIdentity,
  type IdentityKeys,
  itemDigest,
  type PairingOffer,
  pairingCode,
  parsePairing,
  receiptAnswer,
  sharedSecret,
  signReceipt,
  suiteV2,
} from '@countersign/protocol/e2e';
import { type Link, openLink, type PeerChannel, pairAtRelay } from '@countersign/protocol/link';
import { MemoryPeerStore } from './memory-peer-store.js';

export type Json = Record<string, unknown>;
export type Kind = 'approval' | 'clarification' | 'elicitation';

export const MODERN = [
  'receipts',
  'acks',
  'choices',
  'truncated',
  'item_request',
  'replace',
  'schema',
  'arguments_text',
  'bypasses',
];

export interface DeviceScript {
  platform?: number;
  supports?: string[];
  name?: string;
  privatePreviews?: boolean;
  /** Its clock minus the real one. */
  skewMs?: number;
  /** Reuse of keys of an earlier pairing. */
  seed?: Uint8Array;
}

export interface AnswerScript {
  live?: boolean;
  id?: string;
  /** Replaces or drops the receipt. */
  receipt?: ((receipt: Json) => Json | undefined) | undefined;
  shown?: 'full' | 'summary';
  decidedAt?: number;
  digest?: string;
}

export class ScriptedDevice {
  readonly seed: Uint8Array;
  readonly received: Json[] = [];
  /** Why it lost its connection, newest last. */
  readonly problems: string[] = [];
  readonly store = new MemoryPeerStore();
  /** Highest counter sealed with. */
  used = 0;
  readonly #script: DeviceScript;
  readonly #waiters = new Set<() => void>();
  #keys!: IdentityKeys;
  #offer!: PairingOffer;
  #channel!: PeerChannel;
  #link: Link | undefined;

  constructor(script: DeviceScript = {}) {
    this.#script = script;
    this.seed = script.seed ?? new Uint8Array(randomBytes(32));
  }

  get id(): string {
    return toHex(this.#keys.ed25519Public);
  }

  get link(): Link {
    if (this.#link === undefined) throw new Error('not logged in');
    return this.#link;
  }

  get now(): number {
    return Date.now() + (this.#script.skewMs ?? 0);
  }

  /** Goes through the window and gives the code it shows. */
  async pair(text: string): Promise<string> {
    this.#keys = await deriveIdentity(this.seed);
    this.#offer = await parsePairing(text);
    await pairAtRelay({
      relayUrl: this.#offer.relayUrl,
      binding: 'required',
      namespaceId: this.#offer.namespaceId,
      deviceEd25519: this.#keys.ed25519Public,
      deviceX25519: this.#keys.x25519Public,
      pairingToken: this.#offer.token,
      platform: this.#script.platform ?? PLATFORM.web,
      sign: (message) => signEd25519(message, this.#keys.ed25519Secret),
    });
    await this.#openChannel();
    return this.code();
  }

  async code(): Promise<string> {
    const { namespaceId, agentEd25519, agentX25519, token } = this.#offer;
    return pairingCode({
      shared: await sharedSecret(this.#keys.x25519Secret, agentX25519),
      namespaceId,
      agentEd25519,
      deviceEd25519: this.#keys.ed25519Public,
      agentX25519,
      deviceX25519: this.#keys.x25519Public,
      token,
    });
  }

  /** Logs in and stays; sends `hello` unless told otherwise. */
  async login(options: { hello?: boolean } = {}): Promise<void> {
    const link = openLink<undefined>({
      relayUrl: this.#offer.relayUrl,
      identity: {
        role: 'client',
        namespaceId: this.#offer.namespaceId,
        ed25519Public: this.#keys.ed25519Public,
        sign: (message) => signEd25519(message, this.#keys.ed25519Secret),
      },
      store: this.store,
      // Begun in the same second as those before, counters of a key that pairs again would make the relay, which
      // knows a repetition by key and nonce, take its first messages for theirs.
      clock: { now: () => Date.now() + (this.#script.seed === undefined ? 0 : 60_000) },
      binding: 'required',
      platform: this.#script.platform ?? PLATFORM.web,
      handler: {
        channelsOf: (peer) => (peer === this.#channel.peer ? [this.#channel] : []),
        onState: (state) => {
          if (state.phase === 'waiting') this.problems.push(state.problem.code);
          this.#notify();
        },
        onPayload: ({ payload }) => ({
          apply: (_tx, verdict) => {
            if (verdict === 'new') this.received.push(payload);
          },
          after: () => this.#notify(),
        }),
      },
    });
    this.#link = link;
    link.start();
    await link.whenOnline({ timeoutMs: 10_000 });
    if (options.hello ?? true) await this.hello();
  }

  async logout(): Promise<void> {
    await this.#link?.close();
    this.#link = undefined;
  }

  async hello(): Promise<void> {
    const names = ['unspecified', 'ios', 'android', 'web'];
    const device_info = {
      platform: names[this.#script.platform ?? PLATFORM.web],
      device_name: this.#script.name ?? 'Phone',
    };
    await this.send('hello', {
      device_info,
      supports: this.#script.supports ?? MODERN,
      private_previews: this.#script.privatePreviews ?? false,
    });
  }

  /** Seals and sends anything; gives the envelope's id. */
  async send(kind: string, body: Json, options: { live?: boolean; id?: string } = {}): Promise<string> {
    const id = options.id ?? randomUUID();
    const payload = { v: 1, kind, id, ts: this.now, ...body };
    if (options.live) await this.link.sendLive(this.#channel, payload);
    else await this.link.queue(this.#channel, payload);
    return id;
  }

  /** An answer with its receipt, over the entry as received. */
  async answer(kind: Kind, entry: Json, body: Json, script: AnswerScript = {}): Promise<string> {
    const response = { request_id: entry.request_id, ...body };
    const receipt = await this.receipt(kind, entry, response, script);
    const signed = script.receipt === undefined ? receipt : script.receipt(receipt);
    const full = signed === undefined ? response : { ...response, receipt: signed };
    return this.send(`${kind}_response`, full, script);
  }

  async receipt(kind: Kind, entry: Json, response: Json, script: AnswerScript = {}): Promise<Json> {
    const namespace_id = toHex(this.#offer.namespaceId);
    const sensitive = entry.sensitive === true ? Object.keys((response.content as Json) ?? {}) : [];
    const receipt = await signReceipt(
      {
        v: 1,
        alg: 'ed25519',
        namespace_id,
        device: this.id,
        kind,
        request_id: String(entry.request_id),
        item_digest: script.digest ?? (await itemDigest(kind, namespace_id, entry)),
        answer: await receiptAnswer(response, sensitive),
        shown: script.shown ?? 'full',
        decided_at: script.decidedAt ?? Date.now(),
      },
      this.#keys.ed25519Secret,
    );
    return receipt as unknown as Json;
  }

  approve(entry: Json, body: Json = {}, script: AnswerScript = {}): Promise<string> {
    return this.answer('approval', entry, { decision: 'approved', ...body }, script);
  }

  reject(entry: Json, body: Json = {}, script: AnswerScript = {}): Promise<string> {
    return this.answer('approval', entry, { decision: 'rejected', ...body }, script);
  }

  /** The first payload received so far or from now on that fits. */
  async waitFor(what: string, fits: (payload: Json) => boolean, timeoutMs = 10_000): Promise<Json> {
    const until = Date.now() + timeoutMs;
    for (;;) {
      const found = this.received.find(fits);
      if (found !== undefined) return found;
      const left = until - Date.now();
      if (left <= 0) throw new Error(`no ${what}; got ${this.received.map(({ kind }) => kind).join(', ')}`);
      await this.#next(left);
    }
  }

  /** Resolves once the connection was lost for this reason. */
  async lost(code: string): Promise<void> {
    while (!this.problems.includes(code)) await this.#next(10_000);
  }

  /** The entry of a pending item that fits, out of the newest snapshots. */
  async item(kind: Kind, fits: (entry: Json) => boolean = () => true): Promise<Json> {
    const list = `${kind}s`;
    const entries = (payload: Json) => (payload[list] ?? []) as Json[];
    const update = await this.waitFor(
      `${kind}`,
      (payload) => payload.kind === 'inbox_update' && entries(payload).some(fits),
    );
    return entries(update).find(fits) as Json;
  }

  ack(refId: string): Promise<Json> {
    return this.waitFor('ack', (payload) => payload.kind === 'ack' && payload.ref_id === refId);
  }

  of(kind: string): Json[] {
    return this.received.filter((payload) => payload.kind === kind);
  }

  async #openChannel(): Promise<void> {
    const peer = toHex(this.#offer.agentEd25519);
    const sealed = await suiteV2.open({
      role: 'device',
      namespaceId: this.#offer.namespaceId,
      agentEd25519: this.#offer.agentEd25519,
      deviceEd25519: this.#keys.ed25519Public,
      mySecret: this.#keys.x25519Secret,
      theirPublic: this.#offer.agentX25519,
    });
    const seal: typeof sealed.seal = (counter, framed) => {
      this.used = Math.max(this.used, counter);
      return sealed.seal(counter, framed);
    };
    const id = `${peer}.${toHex(this.#offer.agentX25519).slice(0, 16)}`;
    this.#channel = { id, peer, sealed: { suite: sealed.suite, open: sealed.open, seal } };
  }

  #next(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(done, ms);
      const waiters = this.#waiters;
      function done() {
        clearTimeout(timer);
        waiters.delete(done);
        resolve();
      }
      waiters.add(done);
    });
  }

  #notify(): void {
    for (const wake of this.#waiters) wake();
  }
}
