/**
 * The light notification's texts (03 §3): what of an item may be on a locked screen, always within the 2,048-byte class
 * (04 §1). Pure. Must not know devices or how anything is sent.
 */
import { summaryLine, titleLine } from '@countersign/protocol/blocks';
import type { NotificationPayload } from '@countersign/protocol/payloads';
import type { ItemKind, ItemRow } from '../store/index.js';
import { type Entry, entryOf } from './frozen-item.js';

export type NotificationBody = Omit<NotificationPayload, 'v' | 'kind' | 'id' | 'ts'>;

/** Who speaks, within a title's limits, and how many items are pending. */
export interface Sender {
  readonly label: string;
  readonly badge: number;
}

const PRIVATE_BODY: Readonly<Record<ItemKind, string>> = {
  approval: 'An approval is waiting',
  clarification: 'A question is waiting',
  elicitation: 'A question is waiting',
};

/** Of a pending item; undefined when what was asked is erased. */
export function alertBody(
  { label, badge }: Sender,
  row: ItemRow,
  privatePreviews: boolean,
): NotificationBody | undefined {
  const entry = entryOf(row);
  if (entry === undefined) return undefined;
  return {
    title: label,
    badge,
    body: privatePreviews ? PRIVATE_BODY[row.kind] : previewOf(row.kind, entry),
    request_id: row.requestId,
    item_kind: row.kind,
    expires_at: row.expiresAt,
  };
}

/** What takes the place of the alert; `words` say how the item ended. */
export function replacementBody(
  { label, badge }: Sender,
  row: Pick<ItemRow, 'kind' | 'requestId'>,
  words: string,
): NotificationBody {
  const outcome = titleLine(words);
  return { title: label, badge, body: outcome, item_kind: row.kind, replaces: row.requestId, outcome };
}

/** Of a call nobody knows whether it ran; `replaces` the alert where the device had one and takes replacements. */
export function unknownBody(
  { label }: Sender,
  row: Pick<ItemRow, 'kind' | 'requestId' | 'toolName'>,
  replaces: boolean,
): NotificationBody {
  const body = summaryLine(
    `Unknown whether the approved call ${row.toolName ?? ''} ran: the agent stopped meanwhile`,
  );
  if (!replaces) return { title: label, body };
  const outcome = 'unknown whether it ran';
  return { title: label, body, item_kind: row.kind, replaces: row.requestId, outcome };
}

/** One line of what is asked: the summary, the question, the message. */
function previewOf(kind: ItemKind, entry: Entry): string {
  if (kind === 'approval') return String(entry.summary);
  return summaryLine(String(kind === 'clarification' ? entry.question : entry.message));
}
