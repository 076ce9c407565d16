/**
 * The relay store in memory. Every method does its work in one synchronous step and so is atomic. Bytes are
 * copied in and out, so no caller can change what is stored. Must not know the wire, and keeps nothing on disk.
 */
import { CountersignError, toHex } from '@countersign/protocol';
import {
  DEFAULT_STORE_LIMITS,
  type DeviceLogin,
  type DeviceRow,
  type NamespaceLimits,
  type NewMessage,
  type PairingAttempt,
  type PushLease,
  type PushSettlement,
  type RelayStore,
  STORE_ROW_BYTES,
  type StoreLimits,
} from '../../../ports/index.js';
import { collect } from './memory-housekeeping.js';
import {
  countedBytes,
  type MemoryDevice,
  type MemoryMessage,
  type MemoryNamespace,
  newNamespace,
  pendingOf,
  removeMessages,
  touch,
} from './memory-namespace.js';
import { authorize, consumeToken } from './memory-pairing.js';
import { hastenPushes, settlePush, takePushBatch } from './memory-push-outbox.js';
import { endPushes, putPush } from './memory-push-rows.js';
import {
  append,
  isRoute,
  lastSeqOf,
  makeRoom,
  remember,
  repeatedSeq,
  sameCollapse,
  take,
} from './memory-queue.js';
import { afterLogin } from './memory-registration.js';

export type MemoryStoreOptions = Partial<StoreLimits>;

/** An empty store. Once closed every method rejects with `unavailable`. */
export async function openMemoryStore(options: MemoryStoreOptions = {}): Promise<RelayStore> {
  return new MemoryStore({ ...DEFAULT_STORE_LIMITS, ...options });
}

class MemoryStore implements RelayStore {
  readonly #limits: StoreLimits;
  readonly #settings = new Map<string, string>();
  readonly #all = new Map<string, MemoryNamespace>();
  #closed = false;

  constructor(limits: StoreLimits) {
    this.#limits = limits;
  }

  async touchNamespace(namespaceId: Uint8Array, agentEd25519: Uint8Array, now: number, mayCreate: boolean) {
    const known = this.#find(namespaceId);
    if (known !== undefined) {
      touch(known, now);
      return 'known';
    }
    if (!mayCreate) return 'refused';
    const share = (this.#limits.maxStoreBytes * this.#limits.fullForNewPercent) / 100;
    if (this.#bytes() + STORE_ROW_BYTES.namespace > share) return 'store_full';
    this.#all.set(toHex(namespaceId), newNamespace(namespaceId, agentEd25519, now));
    return 'created';
  }

  async agentOf(namespaceId: Uint8Array) {
    const agent = this.#find(namespaceId)?.agent;
    return agent && Uint8Array.from(agent);
  }

  async deviceState(namespaceId: Uint8Array, ed25519: Uint8Array) {
    const device = this.#find(namespaceId)?.devices.get(toHex(ed25519));
    if (device === undefined) return 'unknown';
    return device.authorized ? 'authorized' : 'pending';
  }

  async authorizedDevices(namespaceId: Uint8Array) {
    const devices = [...(this.#find(namespaceId)?.devices.values() ?? [])];
    return devices.filter((device) => device.authorized).map((device) => Uint8Array.from(device.ed25519));
  }

  async pendingDevices(namespaceId: Uint8Array, notBefore: number) {
    const namespace = this.#find(namespaceId);
    const pending = namespace === undefined ? [] : pendingOf(namespace).map(([, device]) => device);
    return pending.filter((device) => device.pairedAt >= notBefore).map(rowOf);
  }

  async touchDevice(namespaceId: Uint8Array, ed25519: Uint8Array, login: DeviceLogin) {
    const namespace = this.#find(namespaceId);
    const device = namespace?.devices.get(toHex(ed25519));
    if (namespace === undefined || device?.authorized !== true) return { hasQueued: false };
    touch(namespace, login.now);
    device.platform = login.platform;
    device.registration = afterLogin(device.registration, login);
    const { handle } = device.registration;
    const hasQueued = namespace.messages.some(({ recipient }) => recipient === toHex(ed25519));
    return { hasQueued, ...(handle === undefined ? {} : { handle: handle.slice() }) };
  }

  async openPairingWindow(namespaceId: Uint8Array, tokenHash: Uint8Array, expiresAt: number) {
    const namespace = this.#find(namespaceId);
    if (namespace === undefined) throw new CountersignError('not_found', 'There is no such namespace.');
    namespace.window = { tokenHash: Uint8Array.from(tokenHash), expiresAt };
  }

  async closePairingWindow(namespaceId: Uint8Array) {
    const namespace = this.#find(namespaceId);
    if (namespace !== undefined) namespace.window = undefined;
  }

  async consumePairingToken(attempt: PairingAttempt, limits: NamespaceLimits) {
    const namespace = this.#find(attempt.namespaceId);
    return namespace === undefined ? 'no_namespace' : consumeToken(namespace, attempt, limits);
  }

  async applyAuthorize(namespaceId: Uint8Array, devices: readonly Uint8Array[], now: number) {
    const namespace = this.#find(namespaceId);
    return namespace === undefined ? { authorized: 0, revoked: [] } : authorize(namespace, devices, now);
  }

  async enqueueWithinLimits(message: NewMessage) {
    const namespace = this.#find(message.namespaceId);
    if (namespace === undefined || !isRoute(namespace, message.sender, message.recipient)) return 'not_found';
    const earlier = repeatedSeq(namespace, message);
    if (earlier !== undefined) return { seq: earlier, repeated: true as const };
    const going = makeRoom(namespace, message);
    if (going === undefined) return this.#refuse(namespace, message);
    const freed = going.reduce((sum, { ciphertext }) => sum + STORE_ROW_BYTES.message + ciphertext.length, 0);
    const push = message.push === undefined ? 0 : STORE_ROW_BYTES.push;
    const bytes = this.#bytes() - freed + STORE_ROW_BYTES.message + message.ciphertext.length + push;
    if (bytes > this.#limits.maxStoreBytes) return 'store_full';
    return this.#append(namespace, message, going);
  }

  #append(namespace: MemoryNamespace, message: NewMessage, going: readonly MemoryMessage[]) {
    const replaced = sameCollapse(namespace, message);
    const pushed = replaced.some((each) => each.pushed);
    removeMessages(namespace, (each) => going.includes(each));
    const seq = append(namespace, message, pushed);
    remember(namespace, message, seq);
    this.#forgetOldestNonces();
    const device = namespace.devices.get(toHex(message.recipient));
    const state = replaced.length === 0 ? 'none' : pushed ? 'pushed' : 'unsent';
    const reported =
      device !== undefined && putPush(namespace, device, message, { seq, refused: false, replaced: state });
    return reported ? { seq, reported } : { seq };
  }

  /** A refused alert still wakes the device. */
  #refuse(namespace: MemoryNamespace, message: NewMessage): 'queue_full' {
    const device = namespace.devices.get(toHex(message.recipient));
    if (device !== undefined && message.push?.intent === 'alert') {
      putPush(namespace, device, message, { seq: namespace.lastSeq, refused: true, replaced: 'none' });
    }
    return 'queue_full';
  }

  async lastQueuedSeq(namespaceId: Uint8Array, sender: Uint8Array, recipient: Uint8Array) {
    const namespace = this.#find(namespaceId);
    return namespace === undefined ? 0 : lastSeqOf(namespace, sender, recipient);
  }

  async takeUnproven(
    namespaceId: Uint8Array,
    recipient: Uint8Array,
    options: { afterSeq: number; maxBytes: number; now: number; enqueuedNotBefore?: number },
  ) {
    const namespace = this.#find(namespaceId);
    return namespace === undefined ? [] : take(namespace, recipient, options);
  }

  async ackThrough(namespaceId: Uint8Array, recipient: Uint8Array, seq: number, now: number) {
    const namespace = this.#find(namespaceId);
    const key = toHex(recipient);
    if (namespace === undefined) return { messages: 0, reported: false };
    const device = namespace.devices.get(key);
    const ending = { outcome: 'superseded', detail: 'received', now } as const;
    const reported = device !== undefined && endPushes(namespace, device, (push) => push.seq <= seq, ending);
    const messages = removeMessages(namespace, (message) => message.recipient === key && message.seq <= seq);
    return { messages, reported };
  }

  async takePushBatch(options: Parameters<RelayStore['takePushBatch']>[0]) {
    this.#assertOpen();
    return takePushBatch(this.#all.values(), options);
  }

  async settlePush(lease: PushLease, settlement: PushSettlement, now: number) {
    this.#assertOpen();
    return settlePush([...this.#all.values()], lease, settlement, now);
  }

  async hastenPushes(namespaceId: Uint8Array, ed25519: Uint8Array, seqs: readonly number[], now: number) {
    const device = this.#find(namespaceId)?.devices.get(toHex(ed25519));
    return device !== undefined && hastenPushes(device, seqs, now);
  }

  async takeReports(namespaceId: Uint8Array, { limit, notBefore }: { limit: number; notBefore: number }) {
    const reports = this.#find(namespaceId)?.reports ?? [];
    return reports
      .filter(({ at }) => at >= notBefore)
      .slice(0, limit)
      .map(({ id, ref, peer, outcome, detail }) => ({ id, ref, peer, outcome, detail }));
  }

  async dropReports(namespaceId: Uint8Array, throughId: number) {
    const namespace = this.#find(namespaceId);
    if (namespace) namespace.reports = namespace.reports.filter(({ id }) => id > throughId);
  }

  async pushRegistration(namespaceId: Uint8Array, ed25519: Uint8Array) {
    return this.#find(namespaceId)?.devices.get(toHex(ed25519))?.registration;
  }

  async dropWaitingForAgent(namespaceId: Uint8Array, before: number) {
    const namespace = this.#find(namespaceId);
    if (namespace === undefined) return 0;
    const agent = toHex(namespace.agent);
    return removeMessages(namespace, (message) => message.recipient === agent && message.enqueuedAt < before);
  }

  async collect(options: Parameters<RelayStore['collect']>[0]) {
    this.#assertOpen();
    return collect(this.#all, options);
  }

  async stats() {
    this.#assertOpen();
    const all = [...this.#all.values()];
    const messages = all.flatMap((namespace) => namespace.messages);
    const pushes = all.flatMap(({ devices }) => [...devices.values()].flatMap((device) => device.pushes));
    const counts = {
      namespaces: all.length,
      devices: all.reduce((sum, namespace) => sum + namespace.devices.size, 0),
      messages: messages.length,
      bytes: this.#bytes(),
      pushes: pushes.length,
    };
    return {
      ...counts,
      ...oldest(
        'oldestEnqueuedAt',
        messages.map(({ enqueuedAt }) => enqueuedAt),
      ),
      ...oldest(
        'oldestPushAt',
        pushes.map(({ createdAt }) => createdAt),
      ),
    };
  }

  backlog() {
    return { requests: 0, bytes: 0 };
  }

  async getSetting(name: string) {
    this.#assertOpen();
    return this.#settings.get(name);
  }

  async putSetting(name: string, value: string) {
    this.#assertOpen();
    this.#settings.set(name, value);
  }

  async close() {
    this.#closed = true;
  }

  #find(namespaceId: Uint8Array): MemoryNamespace | undefined {
    this.#assertOpen();
    return this.#all.get(toHex(namespaceId));
  }

  #forgetOldestNonces(): void {
    const all = [...this.#all.values()];
    const count = () => all.reduce((sum, { nonces }) => sum + nonces.size, 0);
    for (let over = count() - this.#limits.maxNonces; over > 0; over--) {
      const oldest = all.flatMap(({ nonces }) => {
        const [first] = nonces;
        return first ? [{ nonces, name: first[0], at: first[1].at }] : [];
      });
      const { nonces, name } = oldest.reduce((a, b) => (b.at < a.at ? b : a));
      nonces.delete(name);
    }
  }

  /** Summed afresh each time: this store is for tests, and a sum cannot drift. */
  #bytes(): number {
    return [...this.#all.values()].reduce((sum, namespace) => sum + countedBytes(namespace), 0);
  }

  #assertOpen(): void {
    if (this.#closed) throw new CountersignError('unavailable', 'The store is closed.');
  }
}

/** Nothing when there is none. */
function oldest<Name extends string>(name: Name, times: readonly number[]): Partial<Record<Name, number>> {
  if (times.length === 0) return {};
  return { [name]: times.reduce((a, b) => Math.min(a, b)) } as Record<Name, number>;
}

function rowOf(device: MemoryDevice): DeviceRow {
  return {
    ed25519: Uint8Array.from(device.ed25519),
    x25519: Uint8Array.from(device.x25519),
    platform: device.platform,
    state: device.authorized ? 'authorized' : 'pending',
    window: Uint8Array.from(device.window),
    pairedAt: device.pairedAt,
  };
}
