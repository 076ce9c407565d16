/**
 * What a link takes from the world: time, timers, randomness, sockets. The platform by default; tests
 * put their own clock and sockets here. Must not know frames or peers.
 */
import { platform } from '#platform';
import type { Platform } from '../platform/platform.js';

export type LinkRuntime = Pick<Platform, 'now' | 'setTimer' | 'randomBytes' | 'openSocket'>;
export type Timer = ReturnType<Platform['setTimer']>;

export const platformRuntime: LinkRuntime = platform;

/** Uniform in [0, 1). */
export function randomFraction(runtime: LinkRuntime): number {
  const [a = 0, b = 0, c = 0, d = 0] = runtime.randomBytes(4);
  return (((a << 24) | (b << 16) | (c << 8) | d) >>> 0) / 2 ** 32;
}
