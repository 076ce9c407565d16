/** Rows that no provider needs to be asked about. Must not know providers' answers. */
import { PLATFORM } from '@countersign/protocol';
import type { LeasedPush, PushSettlement } from '../../ports/index.js';
import { PUSH } from './push-limits.js';

interface Circumstances {
  readonly now: number;
  readonly apps: readonly string[];
  readonly hasProvider: boolean;
}

/** How the row ends; undefined when it is to be sent. */
export function unsendable(
  leased: LeasedPush,
  { now, apps, hasProvider }: Circumstances,
): PushSettlement | undefined {
  const { registration, expiresAt, reason } = leased;
  const { deviceToken: token, app, problem, registeredAt, provider } = registration;
  const none = (detail: string): PushSettlement => ({ kind: 'done', outcome: 'no_token', detail });
  if (now >= expiresAt) return { kind: 'done', outcome: 'expired', detail: reason ?? 'waited_too_long' };
  if (token === '') return none(problem ?? 'never_registered');
  if (!hasProvider) return none('no_provider');
  if (app !== undefined && !apps.includes(app)) return none('unknown_app');
  // Of a page that was not opened for so long; only a login confirms that its subscription is still there.
  const isStale =
    provider === 'webpush' && leased.platform === PLATFORM.web && now - registeredAt > PUSH.staleWebMs;
  return isStale ? { kind: 'dead', token, registeredAt, reason: 'stale', notBefore: now } : undefined;
}
