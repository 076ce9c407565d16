/**
 * Whether a connection is let in at all, before its upgrade: per address and in all (01 §6). Logged-in
 * connections count towards the total only; what an address is charged for a login that succeeds is given
 * back. Must not know sockets or HTTP.
 */
import type { Clock, RefusalReason } from '../../ports/index.js';
import type { RelaySettings } from '../settings.js';
import { type AddressPrefix, prefixesOf } from './address-prefix.js';
import { RateWindow } from './rate-window.js';

/** The place of one connection. Every method is idempotent. */
export interface Ticket {
  /** Until the login; none afterwards. */
  readonly prefixes: readonly AddressPrefix[];
  loggedIn(): void;
  closed(): void;
}

export type AdmissionResult =
  | { readonly ticket: Ticket }
  | { readonly refused: RefusalReason; readonly retryAfterSeconds: number };

const NO_PREFIXES: readonly AddressPrefix[] = [];
const MINUTE_MS = 60_000;
/** When a place may be free again is not known. */
const BUSY_RETRY_SECONDS = 5;

export class Admission {
  readonly #settings: RelaySettings;
  readonly #clock: Clock;
  readonly #fresh: RateWindow;
  readonly #open = new Map<string, number>();
  #connections = 0;

  constructor(settings: RelaySettings, clock: Clock) {
    this.#settings = settings;
    this.#clock = clock;
    this.#fresh = new RateWindow({
      limit: settings.newConnectionsPerAddressPerMinute,
      windowMs: MINUTE_MS,
    });
  }

  get connections(): number {
    return this.#connections;
  }

  admit(address: string): AdmissionResult {
    const prefixes = prefixesOf(address);
    const now = this.#clock.elapsed();
    if (this.#connections >= this.#settings.maxConnections) return refusal('relay_full', BUSY_RETRY_SECONDS);
    const waitMs = this.#fresh.waitMs(prefixes, now);
    if (waitMs > 0) return refusal('address_rate', Math.ceil(waitMs / 1000));
    const limit = this.#settings.openBeforeLoginPerAddress;
    if (prefixes.some(({ key, factor }) => (this.#open.get(key) ?? 0) >= limit * factor)) {
      return refusal('address_open', BUSY_RETRY_SECONDS);
    }
    this.#fresh.charge(prefixes, now);
    return { ticket: this.#issue(prefixes, now) };
  }

  #issue(prefixes: readonly AddressPrefix[], chargedAt: number): Ticket {
    this.#connections++;
    this.countOpen(prefixes, 1);
    return new Place(this, prefixes, chargedAt);
  }

  /** Of a ticket. */
  refund(prefixes: readonly AddressPrefix[], chargedAt: number): void {
    this.#fresh.refund(prefixes, chargedAt);
  }

  /** Of a ticket. */
  left(): void {
    this.#connections--;
  }

  /** Of a ticket. */
  countOpen(prefixes: readonly AddressPrefix[], step: number): void {
    for (const { key } of prefixes) {
      const count = (this.#open.get(key) ?? 0) + step;
      if (count > 0) this.#open.set(key, count);
      else this.#open.delete(key);
    }
  }
}

function refusal(refused: RefusalReason, retryAfterSeconds: number): AdmissionResult {
  return { refused, retryAfterSeconds };
}

/** An object that most connections keep for days: small, and without the address once that does not count. */
class Place implements Ticket {
  prefixes: readonly AddressPrefix[];
  readonly #admission: Admission;
  readonly #chargedAt: number;
  #isWaiting = true;
  #isConnected = true;

  constructor(admission: Admission, prefixes: readonly AddressPrefix[], chargedAt: number) {
    this.#admission = admission;
    this.prefixes = prefixes;
    this.#chargedAt = chargedAt;
  }

  loggedIn(): void {
    if (this.#isWaiting) this.#admission.refund(this.prefixes, this.#chargedAt);
    this.#leaveWaiting();
  }

  closed(): void {
    this.#leaveWaiting();
    if (this.#isConnected) this.#admission.left();
    this.#isConnected = false;
  }

  #leaveWaiting(): void {
    if (this.#isWaiting) this.#admission.countOpen(this.prefixes, -1);
    this.#isWaiting = false;
    this.prefixes = NO_PREFIXES;
  }
}
