/** How far this machine's clock is from its relay's, by the Date header of `/healthz` (RFC 9110 §6.6.1). Must not know agents. */
import { readFileSync } from 'node:fs';
import { get as getPlain } from 'node:http';
import { get as getSecure } from 'node:https';

const TIMEOUT_MS = 3_000;
/** The header has whole seconds. */
const HALF_A_SECOND_MS = 500;

/** Milliseconds this clock is ahead (negative: behind), about a second exact; undefined when the relay does not say. */
export async function clockAheadMs(
  relayUrl: string,
  ca: string | undefined,
  now: () => number,
): Promise<number | undefined> {
  const before = now();
  const date = await dateOf(new URL('/healthz', relayUrl.replace(/^ws/, 'http')), ca);
  if (date === undefined) return undefined;
  const middle = (before + now()) / 2;
  return Math.round(middle - (date + HALF_A_SECOND_MS));
}

function dateOf(url: URL, ca: string | undefined): Promise<number | undefined> {
  return new Promise((resolve) => {
    const get = url.protocol === 'https:' ? getSecure : getPlain;
    try {
      const trusted = ca === undefined ? {} : { ca: readFileSync(ca) };
      const request = get(url, { timeout: TIMEOUT_MS, agent: false, ...trusted }, (response) => {
        response.resume();
        const date = Date.parse(response.headers.date ?? '');
        resolve(Number.isNaN(date) ? undefined : date);
      });
      request.on('timeout', () => request.destroy());
      request.on('error', () => resolve(undefined));
    } catch {
      resolve(undefined);
    }
  });
}
