/** Reading URLs, also the ten-thousandth time. */
import { expect, it } from 'vitest';
import { parseUrl } from './parse-url.js';

it('a URL with letters beyond ASCII is one however often it was read', () => {
  const hosts = new Set<string | undefined>();
  for (let times = 0; times < 20_000; times += 1) hosts.add(parseUrl('wss://b\u00fccher.example')?.host);
  expect([...hosts]).toEqual(['xn--bcher-kva.example']);
});

it.each(['', 'relay.example', 'wss://', 'wss://a b'])('%j is none', (text) => {
  expect(parseUrl(text)).toBeUndefined();
});
