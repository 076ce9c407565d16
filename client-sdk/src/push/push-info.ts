/**
 * What a relay can push to, asked over HTTP (04 §3): the answer of a stranger, bounded and checked. Must not know
 * pairings.
 */
import { CountersignError, parseUrl, WIRE } from '@countersign/protocol';
import { parseStrict } from '@countersign/protocol/json';
import type { PushInfo } from '../api.js';
import { isPublicKey } from './registration.js';

/** Of the whole answer. */
export const MAX_PUSH_INFO_BYTES = 16_384;
export const MAX_PUSH_APPS = 64;
/** For the whole of it. */
export const PUSH_INFO_TIMEOUT_MS = 10_000;

export type Fetch = (url: string, init: RequestInit) => Promise<Response>;

export interface PushInfoOptions {
  signal?: AbortSignal | undefined;
  /** `globalThis.fetch` by default. */
  fetch?: Fetch | undefined;
}

/**
 * Undefined from a relay that has no such page, which pushes to nobody this way. Follows no redirect, sends no
 * credentials.
 *
 * @throws CountersignError `invalid_request` for an address that is no `ws(s)://`, `unavailable` when there is no
 * answer, or none that can be read; the signal's reason when that aborts.
 */
export async function fetchPushInfo(
  relayUrl: string,
  { signal, fetch = globalThis.fetch }: PushInfoOptions = {},
): Promise<PushInfo | undefined> {
  const url = pageOf(relayUrl);
  const timeout = AbortSignal.timeout(PUSH_INFO_TIMEOUT_MS);
  try {
    const response = await fetch(url, {
      headers: { accept: 'application/json' },
      redirect: 'error',
      credentials: 'omit',
      cache: 'no-store',
      signal: signal === undefined ? timeout : AbortSignal.any([signal, timeout]),
    });
    if (response.status === 404) {
      await response.body?.cancel();
      return undefined;
    }
    return readInfo(await bodyOf(response));
  } catch (error) {
    signal?.throwIfAborted();
    if (error instanceof CountersignError) throw error;
    throw unavailable();
  }
}

function pageOf(relayUrl: string): string {
  const url = parseUrl('/v1/push', relayUrl);
  if (url?.protocol !== 'ws:' && url?.protocol !== 'wss:') {
    throw new CountersignError('invalid_request', 'The address of a relay begins with ws:// or wss://');
  }
  return url.href.replace(/^ws/, 'http');
}

async function bodyOf(response: Response): Promise<Uint8Array> {
  const reader = response.body?.getReader();
  if (response.status !== 200 || reader === undefined) throw unavailable();
  const whole = new Uint8Array(MAX_PUSH_INFO_BYTES);
  let length = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return whole.subarray(0, length);
    if (length + value.length > MAX_PUSH_INFO_BYTES) {
      await reader.cancel();
      throw unavailable();
    }
    whole.set(value, length);
    length += value.length;
  }
}

function readInfo(body: Uint8Array): PushInfo {
  const { v, web, apps } = fieldsOf(parseStrict(body, { maxBytes: MAX_PUSH_INFO_BYTES }));
  const key = web === null ? undefined : fieldsOf(web).vapid_public_key;
  const isKnown = v === 1 && (web === null || isPublicKey(key));
  if (!isKnown || !Array.isArray(apps) || apps.length > MAX_PUSH_APPS || !apps.every(isApp))
    throw unavailable();
  return { apps, ...(isPublicKey(key) ? { vapidKey: key } : {}) };
}

function isApp(value: unknown): value is string {
  return typeof value === 'string' && value !== '' && [...value].length <= WIRE.maxAppChars;
}

function fieldsOf(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : {};
}

function unavailable(): CountersignError {
  return new CountersignError('unavailable', 'The relay does not say what it can push to; try again later.');
}
