/**
 * The wide end: reads what any peer may send (03, "receivers wide"). Nothing in content throws. Must not decide
 * whether an answer counts or a payload is fresh.
 */
import { CONTENT } from '../frames/index.js';
import { receivedApprovalSchema, receivedClarificationSchema, receivedElicitationSchema } from './items.js';
import { isJsonObject } from './members.js';
import {
  type ReceivedInboxUpdate,
  type ReceivedItem,
  type ReceivedPayload,
  receiveSchemas,
} from './payload.js';
import { type ItemKind, KINDS, type Kind } from './words.js';

/** Why a payload is dropped, and what is known of it, so that a malformed answer can still be acked `invalid`. */
export interface DroppedPayload {
  dropped: 'unknown_kind' | 'unknown_version' | 'malformed';
  kind?: Kind;
  id?: string;
  request_id?: string;
}

const itemSchemas = {
  approval: receivedApprovalSchema,
  clarification: receivedClarificationSchema,
  elicitation: receivedElicitationSchema,
};

/**
 * Reads one opened payload. Unknown members are ignored, null optional members and lists are absent, items that
 * fail become unreadable while the others stand. `value` itself is left alone; digests and receipts are over it,
 * not over what is returned. Never throws.
 */
export function receivePayload(value: unknown): { ok: ReceivedPayload } | DroppedPayload {
  if (!isJsonObject(value)) return { dropped: 'malformed' };
  if (own(value, 'v') !== CONTENT.payloadVersion) return { dropped: 'unknown_version' };
  const kind = KINDS.find((known) => own(value, 'kind') === known);
  if (kind === undefined) return { dropped: 'unknown_kind' };
  const read = receiveSchemas[kind].safeParse(value);
  if (!read.success) return malformed(kind, value);
  if (read.data.kind !== 'inbox_update') return { ok: read.data };
  const lists = readLists(value);
  return lists === undefined ? malformed(kind, value) : { ok: withLists(read.data, lists) };
}

function malformed(kind: Kind, value: Record<string, unknown>): DroppedPayload {
  const id = own(value, 'id');
  const requestId = own(value, 'request_id');
  return {
    dropped: 'malformed',
    kind,
    ...(isName(id) ? { id } : {}),
    ...(isName(requestId) ? { request_id: requestId } : {}),
  };
}

interface Lists {
  approvals: ReceivedItem<'approval'>[];
  clarifications: ReceivedItem<'clarification'>[];
  elicitations: ReceivedItem<'elicitation'>[];
}

function readLists(value: Record<string, unknown>): Lists | undefined {
  const approvals = readList('approval', own(value, 'approvals'));
  const clarifications = readList('clarification', own(value, 'clarifications'));
  const elicitations = readList('elicitation', own(value, 'elicitations'));
  if (approvals === undefined || clarifications === undefined || elicitations === undefined) return undefined;
  return { approvals, clarifications, elicitations };
}

function withLists(
  update: Omit<ReceivedInboxUpdate, keyof Lists | 'badge'> & { badge?: number | undefined },
  lists: Lists,
): ReceivedInboxUpdate {
  const pending = lists.approvals.length + lists.clarifications.length + lists.elicitations.length;
  return { ...update, ...lists, badge: update.badge ?? pending };
}

/** One list; of two entries with one id the first stands. Undefined: no list at all. */
function readList<K extends ItemKind>(kind: K, list: unknown): ReceivedItem<K>[] | undefined {
  if (list === undefined || list === null) return [];
  if (!Array.isArray(list)) return undefined;
  const ids = new Set<string>();
  const items: ReceivedItem<K>[] = [];
  for (const raw of list) {
    const item = readItem(kind, raw);
    if (item.request_id !== undefined && ids.has(item.request_id)) continue;
    if (item.request_id !== undefined) ids.add(item.request_id);
    items.push(item);
  }
  return items;
}

function readItem<K extends ItemKind>(kind: K, raw: unknown): ReceivedItem<K> {
  const read = itemSchemas[kind].safeParse(raw);
  if (read.success && isJsonObject(raw)) {
    const item = { unreadable: false, kind, request_id: read.data.request_id, item: read.data, raw };
    return item as unknown as ReceivedItem<K>;
  }
  const requestId = isJsonObject(raw) ? own(raw, 'request_id') : undefined;
  const item = { unreadable: true, kind, raw, ...(isName(requestId) ? { request_id: requestId } : {}) };
  return item as unknown as ReceivedItem<K>;
}

function isName(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}

/** A member of the object itself, never one of a prototype. */
function own(object: Record<string, unknown>, name: string): unknown {
  return Object.hasOwn(object, name) ? object[name] : undefined;
}
