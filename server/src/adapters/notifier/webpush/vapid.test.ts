import { generateKeyPairSync } from 'node:crypto';
import { expect, it } from 'vitest';
import { VapidHeaders } from './vapid.js';

const HOUR_MS = 3_600_000;
const KEYS = { publicKey: 'key', privateKey: generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey };

function open() {
  const time = { now: 1_000_000 };
  const clock = { now: () => time.now, elapsed: () => time.now, after: () => () => undefined };
  const headers = new VapidHeaders('mailto:operator@relay.example', clock);
  return { time, header: (origin: string) => headers.header(origin, KEYS) };
}

it('the header of an origin is signed anew after six hours, for twelve', () => {
  const { time, header } = open();
  const first = header('https://a.example');
  const claims = JSON.parse(Buffer.from(first.split('.')[1] ?? '', 'base64url').toString()) as object;
  expect(claims).toEqual({
    aud: 'https://a.example',
    exp: 1_000 + 43_200,
    sub: 'mailto:operator@relay.example',
  });
  time.now += 6 * HOUR_MS - 1;
  expect(header('https://a.example')).toBe(first);
  time.now += 1;
  expect(header('https://a.example')).not.toBe(first);
});

it('1,000 headers are kept, and the oldest is forgotten first', () => {
  const { header } = open();
  const [first, second] = [header('https://0.example'), header('https://1.example')];
  for (let origin = 2; origin <= 1_000; origin += 1) header(`https://${origin}.example`);
  expect(header('https://1.example')).toBe(second);
  expect(header('https://0.example')).not.toBe(first);
});
