import { describe, expect, it } from 'vitest';
import { type Fetch, fetchPushInfo, MAX_PUSH_APPS, MAX_PUSH_INFO_BYTES } from './push-info.js';

const KEY = `B${'A'.repeat(86)}`;
const RELAY = 'wss://relay.example:8443';

const saying =
  (body: unknown, status = 200): Fetch =>
  async () =>
    new Response(typeof body === 'string' ? body : JSON.stringify(body), { status });
const ask = (fetch: Fetch) => fetchPushInfo(RELAY, { fetch });

describe('what a relay can push to', () => {
  it('is asked at the relay itself, without credentials, cache or redirects', async () => {
    const asked: [string, RequestInit][] = [];
    const info = await ask(async (url, init) => {
      asked.push([url, init]);
      return saying({ v: 1, web: { vapid_public_key: KEY }, apps: ['a', 'b'] })(url, init);
    });
    expect(info).toEqual({ vapidKey: KEY, apps: ['a', 'b'] });
    expect(asked[0]?.[0]).toBe('https://relay.example:8443/v1/push');
    expect(asked[0]?.[1]).toMatchObject({ redirect: 'error', credentials: 'omit', cache: 'no-store' });
  });

  it('may be nothing, and an original relay has no such page', async () => {
    expect(await ask(saying({ v: 1, web: null, apps: [] }))).toEqual({ apps: [] });
    expect(await ask(saying('not found', 404))).toBeUndefined();
  });

  it.each<[string, Fetch]>([
    ['another version', saying({ v: 2, web: null, apps: [] })],
    ['no key', saying({ v: 1, web: {}, apps: [] })],
    ['a key that is none', saying({ v: 1, web: { vapid_public_key: 'x' }, apps: [] })],
    ['no apps', saying({ v: 1, web: null })],
    ['an app that is no text', saying({ v: 1, web: null, apps: [1] })],
    ['an app that is too long', saying({ v: 1, web: null, apps: ['x'.repeat(65)] })],
    [
      'too many apps',
      saying({ v: 1, web: null, apps: Array.from({ length: MAX_PUSH_APPS + 1 }, () => 'a') }),
    ],
    ['a member twice', saying('{"v":1,"v":1,"web":null,"apps":[]}')],
    ['no JSON', saying('<html>')],
    ['too much', saying(' '.repeat(MAX_PUSH_INFO_BYTES + 1))],
    ['another status', saying({ v: 1, web: null, apps: [] }, 503)],
    ['nobody there', () => Promise.reject(new TypeError('fetch failed'))],
  ])('is not known from %s', async (_, fetch) => {
    await expect(ask(fetch)).rejects.toMatchObject({ code: 'unavailable' });
  });

  it('is read to the last byte allowed, however it is cut', async () => {
    const text = JSON.stringify({ v: 1, web: null, apps: [] }).padEnd(MAX_PUSH_INFO_BYTES);
    const stream = new ReadableStream({
      start(controller) {
        for (let at = 0; at < text.length; at += 1000) {
          controller.enqueue(new TextEncoder().encode(text.slice(at, at + 1000)));
        }
        controller.close();
      },
    });
    expect(await ask(async () => new Response(stream))).toEqual({ apps: [] });
  });

  it('is not asked of an address that is no relay, and can be given up', async () => {
    await expect(fetchPushInfo('https://relay.example')).rejects.toMatchObject({ code: 'invalid_request' });
    const reason = new Error('enough');
    const never: Fetch = (_, { signal }) =>
      new Promise((_resolve, reject) =>
        signal?.addEventListener('abort', () => reject(new Error('aborted'))),
      );
    const abort = new AbortController();
    const asked = fetchPushInfo(RELAY, { fetch: never, signal: abort.signal });
    abort.abort(reason);
    await expect(asked).rejects.toBe(reason);
  });
});
