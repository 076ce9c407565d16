/**
 * The provider token of one signing key (RFC 7519, ES256) and when it is renewed. Apple refuses one older than an
 * hour and, with TooManyProviderTokenUpdates, one that is renewed more often than every 20 minutes; it counts per
 * team, which is why every connection of a key shares this. Must not know connections.
 */
import type { KeyObject } from 'node:crypto';
import type { Clock } from '../../../ports/index.js';
import { signJwt } from '../common/index.js';

const MINUTE_MS = 60_000;
export const RENEW_TOKEN_AFTER_MS = 50 * MINUTE_MS;
export const MIN_TOKEN_LIFE_MS = 20 * MINUTE_MS;

export interface ApnsKey {
  /** Of a .p8 file: P-256. */
  readonly key: KeyObject;
  readonly keyId: string;
  readonly teamId: string;
}

interface SignedToken {
  readonly text: string;
  readonly iat: number;
  readonly elapsed: number;
}

export class ProviderToken {
  readonly #key: ApnsKey;
  readonly #clock: Clock;
  #signed: SignedToken | undefined;

  constructor(key: ApnsKey, clock: Clock) {
    this.#key = key;
    this.#clock = clock;
  }

  /** Signed at the first use, so that its age is that of what Apple saw. */
  current(): string {
    if (this.#signed === undefined || this.#age() >= RENEW_TOKEN_AFTER_MS) this.#renew();
    return this.#signed?.text ?? '';
  }

  /** Apple called `text` expired. False when it is too young to be renewed: then a clock is wrong. */
  expired(text: string): boolean {
    const signed = this.#signed;
    if (signed === undefined || signed.text !== text) return true;
    if (this.#clock.elapsed() - signed.elapsed < MIN_TOKEN_LIFE_MS) return false;
    this.#signed = undefined;
    return true;
  }

  /** A clock that jumps ahead ages the token, yet never below the time Apple asks to wait. */
  #age(): number {
    if (this.#signed === undefined) return 0;
    const running = this.#clock.elapsed() - this.#signed.elapsed;
    return running < MIN_TOKEN_LIFE_MS ? running : Math.max(running, this.#clock.now() - this.#signed.iat);
  }

  #renew(): void {
    const iat = this.#clock.now();
    const { key, keyId, teamId } = this.#key;
    const text = signJwt({ kid: keyId }, { iss: teamId, iat: Math.floor(iat / 1_000) }, key);
    this.#signed = { text, iat, elapsed: this.#clock.elapsed() };
  }
}
