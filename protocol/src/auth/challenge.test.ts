import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { authorityOf, challengeNonce, challengeText, isBoundTo, namespaceIdOf, windowOf } from './index.js';

const random = fc.uint8Array({ minLength: 16, maxLength: 16 });

describe('a challenge', () => {
  test('is bound to the authority it was made for and to no other', async () => {
    const property = fc.asyncProperty(random, fc.domain(), fc.domain(), async (r, mine, other) => {
      const nonce = await challengeNonce(r, mine);
      expect(nonce).toHaveLength(32);
      expect(nonce.subarray(0, 16)).toEqual(r);
      expect(await isBoundTo(nonce, mine)).toBe(true);
      expect(await isBoundTo(nonce, other)).toBe(mine === other);
    });
    await fc.assert(property, { numRuns: 30 });
  });

  test('of an original relay, plain random, is bound to nobody', async () => {
    expect(await isBoundTo(new Uint8Array(32).fill(3), 'relay.example')).toBe(false);
  });

  test.each([0, 16, 31, 33])('of %i bytes is bound to nobody', async (length) => {
    expect(await isBoundTo(new Uint8Array(length), 'relay.example')).toBe(false);
  });

  test('is made of 16 random bytes only', async () => {
    await expect(challengeNonce(new Uint8Array(15), 'relay.example')).rejects.toMatchObject({
      code: 'invalid_request',
    });
  });

  test('is signed behind its tag and a zero byte', () => {
    expect(Buffer.from(challengeText(Uint8Array.of(255))).toString('latin1')).toBe(
      'skald-relay-auth-v1\0\xff',
    );
  });
});

test.each([
  ['wss://relay.example', 'relay.example'],
  ['wss://Relay.Example:443/v1/ws', 'relay.example'],
  ['wss://relay.example:8443', 'relay.example:8443'],
  ['ws://relay.example:80/', 'relay.example'],
  ['ws://relay.example:443', 'relay.example:443'],
  ['https://relay.example:443', 'relay.example'],
  ['ws://[::1]:8080', '[::1]:8080'],
  ['wss://[2001:DB8::1]', '[2001:db8::1]'],
  ['ws://127.0.0.1:7777', '127.0.0.1:7777'],
  ['wss://bücher.example', 'xn--bcher-kva.example'],
  ['wss://user:pass@relay.example', 'relay.example'],
])('the authority of %s is %s', (url, authority) => expect(authorityOf(url)).toBe(authority));

test.each(['', 'relay.example', 'ftp://relay.example', 'wss://', 'wss://a b', 'javascript:alert(1)'])(
  '%j has no authority',
  (url) => expect(() => authorityOf(url)).toThrow(expect.objectContaining({ code: 'invalid_request' })),
);

test('a window is named by 16 bytes and a namespace by 32', async () => {
  expect(await windowOf(new Uint8Array(32))).toHaveLength(16);
  expect(await namespaceIdOf(new Uint8Array(32))).toHaveLength(32);
});
