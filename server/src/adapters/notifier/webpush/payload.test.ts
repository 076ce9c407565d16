import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { collapseIdOf } from '../common/index.js';
import { HANDLE, pushOf } from '../push.fixtures.js';
import { webPushPlainText } from './payload.js';

const NS = 'ab'.repeat(32);

describe('the plain text of a Web Push', () => {
  it('is exactly this', () => {
    expect(webPushPlainText(pushOf(3))).toBe(
      `{"ns":"${NS}","from":"${'cd'.repeat(32)}","n":"${'0'.repeat(24)}","c":"////"}`,
    );
    expect(webPushPlainText(pushOf('wake'))).toBe(`{"ns":"${NS}","wake":true}`);
    expect(webPushPlainText(pushOf('wake', { address: HANDLE }))).toBe(
      `{"h":"${'ef'.repeat(16)}","wake":true}`,
    );
  });

  it('holds 2,625 bytes of ciphertext and no more: a body of 3,788', () => {
    expect(Buffer.byteLength(webPushPlainText(pushOf(2_625)) ?? '') + 103).toBe(3_788);
    expect(webPushPlainText(pushOf(2_626))).toBeUndefined();
  });

  it('of the class of 2,048 bytes fits Firefox on Android (3,015) only with a handle', () => {
    const body = (change = {}) => Buffer.byteLength(webPushPlainText(pushOf(2_048 + 16, change)) ?? '') + 103;
    expect(body()).toBe(3_040);
    expect(body({ address: HANDLE })).toBe(2_933);
  });

  it('web-push-libs/web-push#947, TedLin1993/all-set-tw#41: every Topic is base64url of a length Apple decodes', () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 24, maxLength: 24 }), (collapse) => {
        expect(collapseIdOf(pushOf(1, { collapse }))).toMatch(/^[\w-]{32}$/);
      }),
    );
  });
});
