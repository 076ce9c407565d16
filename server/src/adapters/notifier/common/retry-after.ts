/** The header Retry-After (RFC 9110 §10.2.3), in either form. Must not know who sent it. */

/** A provider that asks for more is not believed. */
export const MAX_RETRY_AFTER_MS = 3_600_000;

/** Milliseconds from `now`; undefined for an absent, unreadable or absurd value. */
export function retryAfterMs(header: unknown, now: number): number | undefined {
  if (typeof header !== 'string') return undefined;
  const text = header.trim();
  const ms = /^\d{1,9}$/.test(text) ? Number(text) * 1_000 : Date.parse(text) - now;
  return ms >= 0 && ms <= MAX_RETRY_AFTER_MS ? ms : undefined;
}
