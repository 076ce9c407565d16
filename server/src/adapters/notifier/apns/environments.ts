/**
 * What is known of tokens and environments: Apple answers BadDeviceToken both to a token of its other environment
 * and to one that never was, so one refusal proves little. Must not know connections.
 */
import { createHash } from 'node:crypto';
import type { Clock, PushEnvironment } from '../../../ports/index.js';
import type { Proven } from '../common/index.js';

/** A token that both hosts refused is refused for good when they still do so after this time. */
export const SECOND_OPINION_MS = 3_600_000;
/** Refused tokens remembered at most; the oldest is forgotten, and only lives an hour longer for it. */
export const MAX_REFUSED_TOKENS = 10_000;

export class Environments {
  readonly #clock: Clock;
  readonly #proven: Proven;
  /** Hash of app and token → when both hosts first refused it. */
  readonly #refused = new Map<string, number>();

  constructor(clock: Clock, proven: Proven) {
    this.#clock = clock;
    this.#proven = proven;
  }

  /** Production first: whoever builds for the sandbox has few devices. */
  order(known: PushEnvironment | undefined): readonly PushEnvironment[] {
    return known === 'sandbox' ? ['sandbox', 'production'] : ['production', 'sandbox'];
  }

  accepted(app: string, token: string): void {
    this.#proven.accepted(app);
    if (this.#refused.size > 0) this.#refused.delete(hashOf(app, token));
  }

  /** Both hosts refused the token. True when that is its end. */
  refused(app: string, token: string): boolean {
    const now = this.#clock.elapsed();
    const hash = hashOf(app, token);
    const first = this.#refused.get(hash) ?? now;
    if (this.#proven.has(app) || now - first >= SECOND_OPINION_MS) {
      this.#refused.delete(hash);
      return true;
    }
    this.#refused.set(hash, first);
    this.#forgetOldest();
    return false;
  }

  #forgetOldest(): void {
    const [oldest] = this.#refused.keys();
    if (this.#refused.size > MAX_REFUSED_TOKENS && oldest !== undefined) this.#refused.delete(oldest);
  }
}

function hashOf(app: string, token: string): string {
  return createHash('sha256').update(`${app}\n${token}`).digest('base64');
}
