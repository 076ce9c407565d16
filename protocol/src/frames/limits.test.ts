import { describe, expect, it } from 'vitest';
import {
  CAPABILITY,
  encodeFrame,
  FEATURES,
  LOGIN,
  PLATFORM,
  platformName,
  RELAY_DEFAULTS,
  ROUTING,
  SEAL,
  WEB_FEATURES,
  WINDOW,
  WIRE,
} from './index.js';

describe('the limits', () => {
  it('are the numbers both ends were built with', () => {
    expect(WIRE).toMatchObject({ maxQueuedFrameBytes: 65_536, maxLiveFrameBytes: 524_288 });
    expect(LOGIN).toMatchObject({ deadlineMs: 30_000, idleMs: 120_000, pingEveryMs: 30_000 });
    expect(WINDOW).toMatchObject({ defaultTtlSeconds: 300, maxTtlSeconds: 600 });
    expect(ROUTING).toMatchObject({
      agentQueueMaxMessages: 200,
      agentQueueMaxBytes: 4_194_304,
      deviceQueueMaxMessages: 64,
      deviceQueueMaxBytes: 1_048_576,
      queuedMessageMs: 604_800_000,
      oldAgentMessageMs: 120_000,
    });
    expect(RELAY_DEFAULTS).toMatchObject({ maxAuthorizedDevices: 32, maxPendingDevices: 16 });
  });

  it.each([
    ['live', true, WIRE.maxLiveCiphertextBytes, WIRE.maxLiveFrameBytes],
    ['queued', false, WIRE.maxQueuedCiphertextBytes, WIRE.maxQueuedFrameBytes],
  ] as const)(
    'let the largest %s ciphertext fit its frame with every extension',
    (_, live, bytes, maxBytes) => {
      const frame = encodeFrame({
        type: 'message',
        ciphertext: new Uint8Array(bytes),
        nonce: new Uint8Array(WIRE.messageNonceBytes),
        peer: new Uint8Array(WIRE.ed25519PublicBytes),
        live,
        ref: 2n ** 64n - 1n,
        seq: 2n ** 64n - 1n,
      });
      expect(frame.length).toBeLessThanOrEqual(maxBytes);
    },
  );

  it('agree on what a tag adds to a plaintext', () => {
    expect(SEAL.maxLivePlaintextBytes + SEAL.tagBytes).toBe(WIRE.maxLiveCiphertextBytes);
    expect(SEAL.maxQueuedPlaintextBytes + SEAL.tagBytes).toBe(WIRE.maxQueuedCiphertextBytes);
    expect(SEAL.maxQueuedPlaintextBytes % SEAL.paddingStepBytes).toBe(0);
  });
});

describe('the words and numbers both ends share', () => {
  it('are these platforms', () => {
    expect(PLATFORM).toEqual({ unspecified: 0, ios: 1, android: 2, web: 3 });
    expect([0, 1, 2, 3, 4, -1].map(platformName)).toEqual([
      undefined,
      'ios',
      'android',
      'web',
      undefined,
      undefined,
    ]);
  });

  it('are these capabilities, short and few enough to be announced', () => {
    const names = Object.values(CAPABILITY);
    expect(names).toEqual(['ref', 'received', 'window', 'push-hints', 'push-report', 'push-handle']);
    expect(names.length).toBeLessThanOrEqual(WIRE.maxCapabilities);
    for (const name of names) expect(name.length).toBeLessThanOrEqual(WIRE.maxCapabilityBytes);
  });

  it('are these features, in the order of the bits of a pairing link', () => {
    expect(FEATURES).toEqual([
      'receipts',
      'acks',
      'choices',
      'truncated',
      'item_request',
      'replace',
      'schema',
      'arguments_text',
      'session',
      'fs1',
      'bypasses',
    ]);
    expect(WEB_FEATURES).toEqual(['receipts', 'acks', 'choices', 'truncated', 'replace']);
  });
});
