/**
 * What an agent's hints come to when its message is queued: how long it waits, what takes its place, whether and when it is
 * pushed (01 §5, 04 §1). Hints of anybody else are not read. Must not know the store or providers.
 */
import { CAPABILITY, decodePushHints, type MessageFrame, type PushHints, WIRE } from '@countersign/protocol';
import type { NewMessage } from '../../ports/index.js';
import type { PeerIdentity } from '../context.js';
import { PUSH } from './push-limits.js';

export interface PlanOptions {
  readonly now: number;
  /** The queue's own limit of life. */
  readonly queuedMs: number;
  /** The recipient's time to prove receipt; 0 when it is not there. */
  readonly proofMs: number;
  /** No provider is configured. */
  readonly isPushless: boolean;
}

export type MessagePlan = Pick<NewMessage, 'expiresAt' | 'hints' | 'push'>;

export function planOf(peer: PeerIdentity, message: MessageFrame, options: PlanOptions): MessagePlan {
  const { now, queuedMs } = options;
  if (peer.role === 'client') return { expiresAt: now + queuedMs };
  if (!peer.capabilities.includes(CAPABILITY.pushHints)) return unhinted(peer, message, options);
  const hints = message.push === undefined ? undefined : decodePushHints(message.push);
  if (hints === undefined) return { expiresAt: now + queuedMs };
  const expiresAt = now + lifeOf(hints, queuedMs);
  const collapse = hints.collapse?.length === WIRE.pushCollapseBytes ? hints.collapse.slice() : undefined;
  const plan = { expiresAt, hints: { collapse } };
  if (hints.intent === 'none') return plan;
  return { ...plan, push: pushOf(peer, message, { ...options, intent: hints.intent, expiresAt }) };
}

function unhinted(peer: PeerIdentity, message: MessageFrame, options: PlanOptions): MessagePlan {
  const { now, queuedMs } = options;
  const pushedUntil = now + Math.min(queuedMs, PUSH.unhintedMs);
  const push = pushOf(peer, message, { ...options, intent: 'alert', expiresAt: pushedUntil });
  return { expiresAt: now + queuedMs, push };
}

/** Undefined when nobody could send it and nobody wants to hear so. */
function pushOf(
  { capabilities }: PeerIdentity,
  { ref }: MessageFrame,
  { now, proofMs, isPushless, intent, expiresAt }: PlanOptions & Pick<PushParts, 'intent' | 'expiresAt'>,
): MessagePlan['push'] {
  const isReported = ref !== undefined && capabilities.includes(CAPABILITY.pushReport);
  if (isPushless && !isReported) return undefined;
  return { intent, dueAt: Math.min(now + proofMs, expiresAt), expiresAt, isReported };
}

type PushParts = NonNullable<MessagePlan['push']>;

function lifeOf({ ttlMs }: PushHints, queuedMs: number): number {
  if (ttlMs === undefined || ttlMs >= BigInt(queuedMs)) return queuedMs;
  return Math.max(PUSH.minTtlMs, Number(ttlMs));
}
