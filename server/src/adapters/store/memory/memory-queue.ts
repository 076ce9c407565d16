/**
 * The outboxes of one namespace in memory. Must not know what a ciphertext holds.
 */
import { bytesEqual, ROUTING, toHex } from '@countersign/protocol';
import type { NewMessage, QueuedMessage } from '../../../ports/index.js';
import {
  isAuthorized,
  type MemoryMessage,
  type MemoryNamespace,
  removeMessages,
} from './memory-namespace.js';

export interface TakeOptions {
  readonly afterSeq: number;
  readonly maxBytes: number;
  readonly now: number;
  readonly enqueuedNotBefore?: number | undefined;
}

/** Whether these two may write to each other: the agent and a device it authorizes. */
export function isRoute(namespace: MemoryNamespace, sender: Uint8Array, recipient: Uint8Array): boolean {
  if (bytesEqual(sender, namespace.agent)) return isAuthorized(namespace, recipient);
  return bytesEqual(recipient, namespace.agent) && isAuthorized(namespace, sender);
}

/**
 * The messages that go so that this one fits: those of its collapse, and of hinted ones as many as must, oldest first.
 * Expired ones go at once. Undefined when it does not fit all the same.
 */
export function makeRoom(namespace: MemoryNamespace, message: NewMessage): MemoryMessage[] | undefined {
  const [sender, recipient] = [toHex(message.sender), toHex(message.recipient)];
  const inQueue = (other: MemoryMessage) => other.sender === sender && other.recipient === recipient;
  removeMessages(namespace, (other) => inQueue(other) && other.expiresAt <= message.now);
  const queue = namespace.messages.filter(inQueue);
  const going = sameCollapse(namespace, message);
  for (;;) {
    const left = queue.filter((other) => !going.includes(other));
    const bytes = left.reduce((sum, other) => sum + other.ciphertext.length, message.ciphertext.length);
    if (left.length < message.limits.messages && bytes <= message.limits.bytes) return going;
    const oldest = left.find((other) => other.hints !== undefined);
    if (oldest === undefined) return undefined;
    going.push(oldest);
  }
}

/** Those the message takes the place of. */
export function sameCollapse(
  { messages }: MemoryNamespace,
  { recipient, hints }: NewMessage,
): MemoryMessage[] {
  const collapse = hints?.collapse;
  if (collapse === undefined) return [];
  return messages.filter(
    (other) =>
      other.recipient === toHex(recipient) &&
      other.hints?.collapse !== undefined &&
      bytesEqual(other.hints.collapse, collapse),
  );
}

/** The seq of a message accepted before that this one repeats. */
export function repeatedSeq({ nonces }: MemoryNamespace, message: NewMessage): number | undefined {
  const earlier = message.ref === undefined ? undefined : nonces.get(nameOf(message));
  return earlier && earlier.at > message.now - ROUTING.dedupMs ? earlier.seq : undefined;
}

/** Keeps the nonce of a message just appended. */
export function remember({ nonces }: MemoryNamespace, message: NewMessage, seq: number): void {
  if (message.ref === undefined) return;
  const name = nameOf(message);
  nonces.delete(name);
  const [sender, recipient] = [toHex(message.sender), toHex(message.recipient)];
  nonces.set(name, { sender, recipient, seq, at: message.now });
}

function nameOf({ sender, recipient, nonce }: NewMessage): string {
  return [sender, recipient, nonce].map(toHex).join(' ');
}

/** Appends; returns the seq. */
export function append(namespace: MemoryNamespace, message: NewMessage, pushed: boolean): number {
  namespace.lastSeq += 1;
  namespace.messages.push({
    seq: namespace.lastSeq,
    sender: toHex(message.sender),
    recipient: toHex(message.recipient),
    senderKey: Uint8Array.from(message.sender),
    nonce: Uint8Array.from(message.nonce),
    ciphertext: Uint8Array.from(message.ciphertext),
    enqueuedAt: message.now,
    expiresAt: message.expiresAt,
    ref: message.ref,
    hints: message.hints && { collapse: message.hints.collapse?.slice() },
    pushed,
  });
  return namespace.lastSeq;
}

/** `RelayStore.lastQueuedSeq` in a namespace that exists. */
export function lastSeqOf(namespace: MemoryNamespace, sender: Uint8Array, recipient: Uint8Array): number {
  const [from, to] = [toHex(sender), toHex(recipient)];
  return namespace.messages.findLast((other) => other.sender === from && other.recipient === to)?.seq ?? 0;
}

/** `RelayStore.takeUnproven` in a namespace that exists. */
export function take(namespace: MemoryNamespace, recipient: Uint8Array, options: TakeOptions) {
  const key = toHex(recipient);
  const taken: QueuedMessage[] = [];
  let bytes = 0;
  for (const message of namespace.messages) {
    if (message.recipient !== key || !isDue(message, options)) continue;
    bytes += message.ciphertext.length;
    if (taken.length > 0 && bytes > options.maxBytes) break;
    taken.push(handedOut(message));
  }
  return taken;
}

function isDue(message: MemoryMessage, options: TakeOptions): boolean {
  const { afterSeq, now, enqueuedNotBefore = Number.NEGATIVE_INFINITY } = options;
  return message.seq > afterSeq && message.expiresAt > now && message.enqueuedAt >= enqueuedNotBefore;
}

function handedOut(message: MemoryMessage): QueuedMessage {
  return {
    seq: message.seq,
    sender: Uint8Array.from(message.senderKey),
    nonce: Uint8Array.from(message.nonce),
    ciphertext: Uint8Array.from(message.ciphertext),
    enqueuedAt: message.enqueuedAt,
    expiresAt: message.expiresAt,
    ...(message.ref === undefined ? {} : { ref: message.ref }),
  };
}
