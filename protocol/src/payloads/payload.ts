/**
 * The schemas of every payload in force, with their envelope (03 §1): one table for senders, one for receivers,
 * types inferred. Must not know transport or crypto.
 */
import { z } from 'zod';
import { CONTENT } from '../frames/index.js';
import { ANSWER_NULLS, answerShapes, receivedAnswerShapes } from './answers.js';
import type { ReceivedApproval, ReceivedClarification, ReceivedElicitation } from './items.js';
import { unixMs, uuid, uuidV4, wideObject } from './members.js';
import { messageShapes, receivedMessageShapes } from './messages.js';
import type { ItemKind, Kind } from './words.js';

/** Ids of others need not be UUIDs, but they are remembered for 30 days. */
export const MAX_ENVELOPE_ID_UNITS = 128;

function sent<K extends string, S extends z.ZodRawShape>(kind: K, shape: S) {
  const envelope = { v: z.literal(CONTENT.payloadVersion), kind: z.literal(kind), id: uuid, ts: unixMs };
  return z.strictObject({ ...envelope, ...shape });
}

function received<K extends string, S extends z.ZodRawShape>(kind: K, shape: S) {
  const envelope = {
    v: z.literal(CONTENT.payloadVersion),
    kind: z.literal(kind),
    id: z.string().min(1).max(MAX_ENVELOPE_ID_UNITS),
    ts: z.number(),
  };
  return wideObject({ ...envelope, ...shape }, ANSWER_NULLS);
}

export const sendSchemas = {
  inbox_update: sent('inbox_update', messageShapes.inbox_update),
  notification: sent('notification', messageShapes.notification),
  hello: sent('hello', messageShapes.hello),
  inbox_request: sent('inbox_request', messageShapes.inbox_request),
  approval_response: sent('approval_response', answerShapes.approval_response),
  clarification_response: sent('clarification_response', answerShapes.clarification_response),
  elicitation_response: sent('elicitation_response', answerShapes.elicitation_response),
  ack: sent('ack', answerShapes.ack),
  logout: sent('logout', messageShapes.logout),
  bypass_end: sent('bypass_end', messageShapes.bypass_end),
} satisfies Record<Kind, z.ZodType>;

export const receiveSchemas = {
  inbox_update: received('inbox_update', receivedMessageShapes.inbox_update),
  notification: received('notification', receivedMessageShapes.notification),
  hello: received('hello', receivedMessageShapes.hello),
  inbox_request: received('inbox_request', receivedMessageShapes.inbox_request),
  approval_response: received('approval_response', receivedAnswerShapes.approval_response),
  clarification_response: received('clarification_response', receivedAnswerShapes.clarification_response),
  elicitation_response: received('elicitation_response', receivedAnswerShapes.elicitation_response),
  ack: received('ack', receivedAnswerShapes.ack),
  logout: received('logout', receivedMessageShapes.logout),
  bypass_end: received('bypass_end', receivedMessageShapes.bypass_end),
} satisfies Record<Kind, z.ZodType>;

type Sent<K extends Kind> = z.infer<(typeof sendSchemas)[K]>;
type Received<K extends Kind> = z.infer<(typeof receiveSchemas)[K]>;

export type InboxUpdate = Sent<'inbox_update'>;
export type NotificationPayload = Sent<'notification'>;
export type Hello = Sent<'hello'>;
export type InboxRequest = Sent<'inbox_request'>;
export type ApprovalResponse = Sent<'approval_response'>;
export type ClarificationResponse = Sent<'clarification_response'>;
export type ElicitationResponse = Sent<'elicitation_response'>;
export type Ack = Sent<'ack'>;
export type Logout = Sent<'logout'>;
export type BypassEnd = Sent<'bypass_end'>;

/** What our SDKs send. */
export type Payload = { [K in Kind]: Sent<K> }[Kind];

/** An item as received: readable, with the entry it came from, or an item this app cannot read, never approvable. */
export type ReceivedItem<K extends ItemKind = ItemKind> = K extends ItemKind
  ?
      | { unreadable: false; kind: K; request_id: string; item: ItemOf[K]; raw: Record<string, unknown> }
      | { unreadable: true; kind: K; request_id?: string; raw: unknown }
  : never;

interface ItemOf {
  approval: ReceivedApproval;
  clarification: ReceivedClarification;
  elicitation: ReceivedElicitation;
}

export type ReceivedInboxUpdate = Received<'inbox_update'> & {
  badge: number;
  approvals: ReceivedItem<'approval'>[];
  clarifications: ReceivedItem<'clarification'>[];
  elicitations: ReceivedItem<'elicitation'>[];
};
export type ReceivedNotification = Received<'notification'>;
export type ReceivedHello = Received<'hello'>;
export type ReceivedApprovalResponse = Received<'approval_response'>;
export type ReceivedClarificationResponse = Received<'clarification_response'>;
export type ReceivedElicitationResponse = Received<'elicitation_response'>;
export type ReceivedAck = Received<'ack'>;

/** What a peer may have sent, read wide. */
export type ReceivedPayload =
  | ReceivedInboxUpdate
  | { [K in Exclude<Kind, 'inbox_update'>]: Received<K> }[Exclude<Kind, 'inbox_update'>];

export interface Envelope<K extends Kind = Kind> {
  v: 1;
  kind: K;
  id: string;
  ts: number;
}

/**
 * A new envelope.
 * @param nowMs the sender's clock, unix ms
 * @param random 16 fresh random bytes, or a function that gives a UUID of version 4
 */
export function newEnvelope<K extends Kind>(
  kind: K,
  nowMs: number,
  random: Uint8Array | (() => string),
): Envelope<K> {
  const id = typeof random === 'function' ? random() : uuidV4(random);
  return { v: CONTENT.payloadVersion, kind, id, ts: Math.max(0, Math.floor(nowMs)) };
}
