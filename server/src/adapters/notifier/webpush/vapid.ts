/**
 * The header with which we sign for ourselves to a push service (RFC 8292), signed once per origin and key. Must not
 * know subscriptions.
 */
import type { KeyObject } from 'node:crypto';
import type { Clock } from '../../../ports/index.js';
import { signJwt } from '../common/index.js';

const HOUR_MS = 3_600_000;
/** RFC 8292 §2 allows 24 hours. */
const LIFE_MS = 12 * HOUR_MS;
const RENEW_AFTER_MS = 6 * HOUR_MS;
/** The oldest is signed anew when it is needed again. */
const MAX_CACHED = 1_000;

export interface VapidKeys {
  /** base64url of the uncompressed point. */
  readonly publicKey: string;
  /** Of P-256. */
  readonly privateKey: KeyObject;
}

export class VapidHeaders {
  readonly #subject: string;
  readonly #clock: Clock;
  readonly #cached = new Map<string, { readonly header: string; readonly until: number }>();

  /** `subject`: `mailto:` or `https:`, where the push service reaches the operator. */
  constructor(subject: string, clock: Clock) {
    this.#subject = subject;
    this.#clock = clock;
  }

  /** The value of `Authorization` for a push service. */
  header(origin: string, keys: VapidKeys): string {
    const id = `${origin} ${keys.publicKey}`;
    const known = this.#cached.get(id);
    if (known && known.until > this.#clock.elapsed()) return known.header;
    const exp = Math.floor((this.#clock.now() + LIFE_MS) / 1_000);
    const token = signJwt({ typ: 'JWT' }, { aud: origin, exp, sub: this.#subject }, keys.privateKey);
    const header = `vapid t=${token}, k=${keys.publicKey}`;
    this.#cached.delete(id);
    this.#cached.set(id, { header, until: this.#clock.elapsed() + RENEW_AFTER_MS });
    const [oldest] = this.#cached.keys();
    if (this.#cached.size > MAX_CACHED && oldest !== undefined) this.#cached.delete(oldest);
    return header;
  }
}
