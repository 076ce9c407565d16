/**
 * Standing permissions a person gave with an approval (03 §5): for a time or a session, for one exact tool name.
 * Must not know items beyond that.
 */
import { randomBytes } from 'node:crypto';
import { CONTENT, toHex } from '@countersign/protocol';
import { type ApprovedScope, type InboxUpdate, offerOf } from '@countersign/protocol/payloads';
import type { Core } from '../agent/core.js';
import type { DeviceBook } from '../devices/index.js';
import type { BypassRow } from '../store/index.js';
import type { Entry } from './frozen-item.js';

/** A session bypass ends after a day at the latest, as every other. */
const MAX_BYPASS_MS = CONTENT.maxBypassSeconds * 1000;

/** The bypass an approval grants, if any. */
export function grantedBypass(
  scope: ApprovedScope,
  entry: Entry,
  device: string,
  now: number,
): BypassRow | undefined {
  if (scope === 'once' || (typeof scope === 'object' && 'ruleId' in scope)) return undefined;
  const session = scope === 'session';
  const until = session ? null : now + scope.forSecs * 1000;
  return {
    id: `byp_${toHex(randomBytes(16))}`,
    toolName: String(entry.tool_name),
    sessionId: session && typeof entry.session_id === 'string' ? entry.session_id : null,
    until,
    endsAt: until ?? now + MAX_BYPASS_MS,
    device,
  };
}

/** The bypass under which this request needs no answer. A request that does not offer one is always asked. */
export function bypassFor(core: Pick<Core, 'store' | 'clock'>, entry: Entry): BypassRow | undefined {
  const { choices } = offerOf(entry);
  const sessionId = typeof entry.session_id === 'string' ? entry.session_id : null;
  const rows = core.store.tables.bypasses.ofTool(String(entry.tool_name), core.clock.now());
  return rows.find(({ until, sessionId: bound }) =>
    until === null
      ? bound === sessionId && choices.includes('approve_session')
      : choices.includes('approve_for'),
  );
}

/** As listed in `inbox_update`. */
export function listedBypasses(
  core: Pick<Core, 'store' | 'clock'>,
  book: DeviceBook,
): InboxUpdate['bypasses'] {
  return core.store.tables.bypasses.inForce(core.clock.now()).map((row) => ({
    id: row.id,
    tool_name: row.toolName,
    ...(row.sessionId === null ? {} : { session_id: row.sessionId }),
    until: row.until,
    by: book.nameOf(row.device),
  }));
}
