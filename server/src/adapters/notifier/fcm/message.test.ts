import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { HANDLE, pushOf } from '../push.fixtures.js';
import { fcmMessage } from './message.js';

const NS = 'ab'.repeat(32);

describe('a message for FCM', () => {
  it('is data only, under names that Google does not keep for itself', () => {
    expect(fcmMessage(pushOf(3))).toEqual({
      token: 'token',
      data: { ns: NS, f: 'cd'.repeat(32), n: '0'.repeat(24), c: '////' },
      android: { priority: 'high', ttl: 60_000 },
    });
  });

  it('as a wake, as a replacement and under a handle is this', () => {
    expect(fcmMessage(pushOf('wake', { intent: 'replace' }))).toMatchObject({
      data: { ns: NS, wake: 'true' },
      android: { priority: 'normal' },
    });
    const wake = fcmMessage(pushOf('wake', { address: HANDLE }));
    expect(wake?.data).toEqual({ h: 'ef'.repeat(16), wake: 'true' });
    const content = fcmMessage(pushOf(3, { address: HANDLE }));
    expect(content?.data).toEqual({ h: 'ef'.repeat(16), n: '0'.repeat(24), c: '////' });
  });

  it('holds 2,625 bytes of ciphertext and no more', () => {
    const data = fcmMessage(pushOf(2_625))?.data;
    expect(Buffer.byteLength(JSON.stringify(data))).toBe(3_682);
    expect(fcmMessage(pushOf(2_626))).toBeUndefined();
  });

  it('asks for no longer a life than Google gives', () => {
    expect(fcmMessage(pushOf(1, { ttlMs: 2_419_200_001 }))?.android?.ttl).toBe(2_419_200_000);
  });

  it('never exceeds 4,096 bytes, and has only strings and allowed keys', () => {
    fc.assert(
      fc.property(fc.nat(4_000), fc.boolean(), (size, hasHandle) => {
        const message = fcmMessage(pushOf(size, hasHandle ? { address: HANDLE } : {}));
        expect(message !== undefined).toBe(size <= 2_625);
        const data = message?.data ?? {};
        expect(Buffer.byteLength(JSON.stringify(data))).toBeLessThanOrEqual(4_096);
        expect(Object.keys(data).filter((key) => !['ns', 'f', 'h', 'n', 'c', 'wake'].includes(key))).toEqual(
          [],
        );
      }),
    );
  });
});
