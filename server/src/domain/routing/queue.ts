/** Store-and-forward: a message is accepted once the store has committed it (01 §5). */
import { CountersignError, type MessageFrame, type WireCode } from '@countersign/protocol';
import type { EnqueueResult, NewMessage } from '../../ports/index.js';
import type { MessagePlan } from '../push/plan.js';
import type { PeerSession } from '../session/peer-session.js';

type Stored = Exclude<EnqueueResult, string>;

const UNSTORED = 'the relay cannot store messages now; the message was not accepted';
const REFUSALS: Readonly<Record<Extract<EnqueueResult, string>, readonly [WireCode, string]>> = {
  queue_full: ['queue_full', 'too many messages wait for this recipient; try again when it has been online'],
  not_found: ['not_found', 'there is no such peer in this namespace'],
  store_full: ['unavailable', 'the relay has no room; the message was not accepted'],
};

/** The seq it got; undefined when it was refused, which the sender has been told then. Never rejects. */
export async function queue(
  session: PeerSession,
  message: MessageFrame,
  recipient: Uint8Array,
): Promise<number | undefined> {
  const { store, tally, pushes, bus, clock } = session.context;
  const now = clock.now();
  const isThere = bus.isOnline(session.peer.namespaceId, recipient);
  // Not waited for: messages are stored in the order they came.
  const plan = pushes.plan(session.peer, message, now, isThere !== false);
  try {
    const result = await store.enqueueWithinLimits(newMessage(session, message, recipient, plan, now));
    pushes.planned(plan);
    if (typeof result !== 'string') {
      if (plan.push && isThere instanceof Promise) void hastenIfAway(session, recipient, isThere, result.seq);
      return accept(session, recipient, result, message.ref);
    }
    tally.queued[result]++;
    session.refuse(...REFUSALS[result], message.ref);
  } catch (error) {
    tally.queued.failed++;
    const code = error instanceof CountersignError ? error.code : 'unknown';
    session.context.events.emit({ event: 'store_failed', operation: 'enqueue', code });
    session.refuse('unavailable', UNSTORED, message.ref);
  }
  return undefined;
}

/** It is committed. The sender may have another connection by now, or none. */
function accept(
  { context: { bus, tally }, peer: { namespaceId, key } }: PeerSession,
  recipient: Uint8Array,
  { seq, repeated, reported }: Stored,
  ref: bigint | undefined,
): number {
  tally.queued[repeated ? 'repeated' : 'accepted']++;
  if (!repeated) {
    bus.wake(namespaceId, recipient);
  }
  if (ref !== undefined) bus.accepted(namespaceId, key, ref);
  if (reported) bus.reports(namespaceId, key);
  return seq;
}

async function hastenIfAway(
  { context, peer }: PeerSession,
  recipient: Uint8Array,
  isThere: Promise<boolean>,
  seq: number,
): Promise<void> {
  const isAway = await isThere.then(
    (there) => !there,
    () => false,
  );
  if (isAway) context.pushes.unproven(peer.namespaceId, recipient, [seq]);
}

function newMessage(
  session: PeerSession,
  message: MessageFrame,
  recipient: Uint8Array,
  plan: MessagePlan,
  now: number,
): NewMessage {
  const { settings } = session.context;
  const { role, namespaceId, key } = session.peer;
  return {
    ...plan,
    namespaceId,
    sender: key,
    recipient,
    nonce: message.nonce,
    ciphertext: message.ciphertext,
    ref: message.ref,
    now,
    limits:
      role === 'agent'
        ? { messages: settings.agentQueueMessages, bytes: settings.agentQueueBytes }
        : { messages: settings.deviceQueueMessages, bytes: settings.deviceQueueBytes },
  };
}
