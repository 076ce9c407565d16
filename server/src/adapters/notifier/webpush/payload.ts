/** The plain text of a Web Push, before RFC 8291 (04 §1). Must not know encryption, keys or connections. */
import type { Push } from '../../../ports/index.js';
import { envelopeOf } from '../common/index.js';

/** What every push service must take (RFC 8030 §7.2). */
export const MAX_WEB_PUSH_BODY_BYTES = 4_096;
/** Header 86, delimiter 1, tag 16 (RFC 8188 §2, RFC 8291 §4). */
export const WEB_PUSH_OVERHEAD_BYTES = 103;

/** Undefined when it is over a limit: two records are forbidden. */
export function webPushPlainText(push: Push): string | undefined {
  const envelope = envelopeOf(push, 'from', true);
  if (envelope === undefined) return undefined;
  const text = JSON.stringify(envelope);
  const bodyBytes = Buffer.byteLength(text) + WEB_PUSH_OVERHEAD_BYTES;
  return bodyBytes > MAX_WEB_PUSH_BODY_BYTES ? undefined : text;
}
