/**
 * An item frozen (02 §4): its entry, the JSON text of it, and the digests devices will sign. Made once, never
 * changed. Must not know how entries are composed.
 */
import { CountersignError, toHex, utf8 } from '@countersign/protocol';
import { itemDigest } from '@countersign/protocol/e2e';
import { DEFAULT_MAX_DEPTH, parseStrict } from '@countersign/protocol/json';
import { checkSend, type ItemKind, newEnvelope } from '@countersign/protocol/payloads';
import { AGENT_FEATURES } from '../devices/index.js';
import type { ItemRow } from '../store/index.js';
import { MAX_ITEM_BYTES } from './request-limits.js';

export type Entry = Record<string, unknown>;

export interface FrozenItem {
  readonly requestId: string;
  readonly kind: ItemKind;
  readonly toolName: string | null;
  readonly sensitive: boolean;
  readonly createdAt: number;
  readonly expiresAt: number;
  readonly digest: string;
  readonly detailDigest: string | null;
  /** JSON text of the entry, `digest` included. */
  readonly text: string;
}

export interface Unfrozen {
  readonly kind: ItemKind;
  readonly entry: Entry & { request_id: string; created_at: number; expires_at: number };
  readonly toolName?: string | undefined;
  readonly sensitive?: boolean | undefined;
}

/** @throws CountersignError `invalid_request` for what no sender may send, `payload_too_large`. */
export async function freezeItem(namespaceId: Uint8Array, unfrozen: Unfrozen): Promise<FrozenItem> {
  const { kind, entry } = unfrozen;
  const namespace = toHex(namespaceId);
  const digest = await itemDigest(kind, namespace, entry);
  const detailed = withTextInDetail(entry);
  const frozen = { ...entry, digest };
  checkEntry(kind, frozen);
  const text = JSON.stringify(frozen);
  if (utf8(text).length > MAX_ITEM_BYTES) throw tooLarge();
  checkReadable(text);
  return {
    requestId: entry.request_id,
    kind,
    toolName: unfrozen.toolName ?? null,
    sensitive: unfrozen.sensitive ?? false,
    createdAt: entry.created_at,
    expiresAt: entry.expires_at,
    digest,
    detailDigest: detailed === undefined ? null : await itemDigest(kind, namespace, detailed),
    text,
  };
}

/**
 * The entry for devices without the feature `arguments_text`: the text stands in `detail` (03 §2). Undefined when
 * the entry has no such text. Another entry, so another digest.
 */
export function withTextInDetail(entry: Entry): Entry | undefined {
  if (typeof entry.arguments_text !== 'string') return undefined;
  const { arguments_text: text, ...rest } = entry;
  const detail = typeof entry.detail === 'string' ? `${entry.detail}\n\n${text}` : text;
  return { ...rest, detail };
}

export function entryOf(row: Pick<ItemRow, 'entry'>): Entry | undefined {
  return row.entry === null ? undefined : (JSON.parse(row.entry) as Entry);
}

function checkEntry(kind: ItemKind, entry: Entry): void {
  const lists = { approvals: [], clarifications: [], elicitations: [], [`${kind}s`]: [entry] };
  checkSend({
    ...newEnvelope('inbox_update', 0, new Uint8Array(16)),
    badge: 1,
    supports: AGENT_FEATURES,
    ...lists,
  });
}

/** Around an entry in a snapshot: the payload and its list. */
const LEVELS_AROUND_ENTRY = 2;

/** One entry that a device's parser refuses would hide every other item of the snapshot with it. */
function checkReadable(text: string): void {
  try {
    parseStrict(text, { numbers: 'any', maxDepth: DEFAULT_MAX_DEPTH - LEVELS_AROUND_ENTRY });
  } catch {
    throw new CountersignError('invalid_request', 'The request holds JSON that no device would read.');
  }
}

function tooLarge(): CountersignError {
  return new CountersignError('payload_too_large', `The request is larger than ${MAX_ITEM_BYTES} bytes.`, {
    details: { limitBytes: MAX_ITEM_BYTES },
  });
}
