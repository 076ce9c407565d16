/** Time, chance and hashing of a Node process. Must not know what they are used for. */
import { createHash, createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { performance } from 'node:perf_hooks';
import type { Clock, Hash, Random } from '../../../ports/index.js';

/** Node runs a longer timer at once. */
const MAX_TIMER_MS = 2 ** 31 - 1;

export const nodeClock: Clock = {
  now: () => Date.now(),
  elapsed: () => performance.now(),
  after: (delayMs, run) => {
    const timer = setTimeout(run, Math.min(delayMs, MAX_TIMER_MS));
    return () => clearTimeout(timer);
  },
};

export const nodeRandom: Random = { bytes: (count) => new Uint8Array(randomBytes(count)) };

export const nodeHash: Hash = {
  sha256: (bytes) => new Uint8Array(createHash('sha256').update(bytes).digest()),
  hmacSha256: (key, bytes) => new Uint8Array(createHmac('sha256', key).update(bytes).digest()),
  equal: (a, b) => a.length === b.length && timingSafeEqual(a, b),
};
