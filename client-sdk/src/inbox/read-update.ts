/**
 * From a received `inbox_update` to what is stored (03 §2). Digests are computed over the JSON as parsed, before any
 * schema strips it (02 §4). Must not know storage or sockets.
 */

import { escapeToLine, summaryLine } from '@countersign/protocol/blocks';
import { itemDigest } from '@countersign/protocol/e2e';
import { JsonError } from '@countersign/protocol/json';
import { offerOf, type ReceivedInboxUpdate, type ReceivedItem } from '@countersign/protocol/payloads';
import type { SnapshotRecord, StoredItem } from './inbox-records.js';
import { DEFAULT_LIFE_MS } from './view.js';

export interface Arrival {
  namespaceId: string;
  counter: number;
  /** This device's clock, unix ms. */
  receivedAt: number;
  clockOffsetMs: number | undefined;
}

/** More items than a person can look at; a hostile list ends here. */
export const SNAPSHOT_MAX_ITEMS = 1000;

export async function readUpdate(update: ReceivedInboxUpdate, arrival: Arrival): Promise<SnapshotRecord> {
  const received = [...update.approvals, ...update.clarifications, ...update.elicitations];
  const items: StoredItem[] = [];
  for (const item of received.slice(0, SNAPSHOT_MAX_ITEMS)) {
    items.push(await storedItem(item, items.length, arrival));
  }
  return {
    counter: arrival.counter,
    receivedAt: arrival.receivedAt,
    ...(arrival.clockOffsetMs === undefined ? {} : { clockOffsetMs: arrival.clockOffsetMs }),
    badge: update.badge,
    items,
    bypasses: update.bypasses.map((bypass) => ({
      id: bypass.id,
      toolName: escapeToLine(bypass.tool_name),
      ...(bypass.session_id === undefined ? {} : { sessionId: bypass.session_id }),
      until: bypass.until,
      by: bypass.by,
    })),
  };
}

async function storedItem(received: ReceivedItem, index: number, arrival: Arrival): Promise<StoredItem> {
  const { kind } = received;
  const entry = isObject(received.raw) ? received.raw : {};
  const digest = await digestOf(received, arrival.namespaceId);
  const facts = factsOf(received, arrival);
  return {
    kind,
    // Without an id it can be seen, never answered; no request id of an agent begins like this.
    requestId: received.request_id ?? `\u0000unreadable-${index}`,
    entry,
    digest,
    digestMatches: digest !== '' && (facts.digest === undefined || facts.digest === digest),
    readable: !received.unreadable,
    whole: entry.truncated !== true,
    summary: facts.summary,
    createdAt: facts.createdAt,
    expiresAt: facts.expiresAt ?? facts.createdAt + DEFAULT_LIFE_MS,
    risk: facts.risk ?? 'normal',
    choices: kind === 'approval' && !received.unreadable ? [...offerOf(entry).choices] : [],
  };
}

interface Facts {
  digest?: string | undefined;
  summary: string;
  createdAt: number;
  expiresAt?: number | undefined;
  risk?: 'low' | 'normal' | 'high' | undefined;
}

function factsOf(received: ReceivedItem, arrival: Arrival): Facts {
  if (received.unreadable) {
    return {
      summary: 'An item this app cannot read',
      createdAt: arrival.receivedAt + (arrival.clockOffsetMs ?? 0),
    };
  }
  const { digest, created_at: createdAt, expires_at: expiresAt } = received.item;
  const common = { digest, createdAt, expiresAt };
  if (received.kind === 'approval') {
    return { ...common, summary: received.item.summary, risk: received.item.risk };
  }
  const text = received.kind === 'clarification' ? received.item.question : received.item.message;
  return { ...common, summary: summaryLine(text) };
}

/** Empty when the entry has no canonical form, such as a number no double holds. */
async function digestOf(received: ReceivedItem, namespaceId: string): Promise<string> {
  if (!isObject(received.raw)) return '';
  try {
    return await itemDigest(received.kind, namespaceId, received.raw);
  } catch (error) {
    if (error instanceof JsonError) return '';
    throw error;
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
