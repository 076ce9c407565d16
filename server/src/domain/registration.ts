/**
 * Who may bring a namespace the relay does not know (01 §6). Must not know frames or connections.
 */

import { utf8 } from '@countersign/protocol';
import type { Hash } from '../ports/index.js';
import type { AddressPrefix } from './admission/address-prefix.js';
import { RateWindow } from './admission/rate-window.js';
import { keyOf } from './keys.js';
import type { RelaySettings } from './settings.js';

export interface NewNamespace {
  readonly namespaceId: Uint8Array;
  readonly agent: Uint8Array;
  readonly invite: string | undefined;
  readonly prefixes: readonly AddressPrefix[];
}

/** `unstored`: may connect, but is stored only once it opens a pairing window. */
export type RegistrationVerdict = 'stored' | 'unstored' | 'unauthorized' | 'rate_limited';

const DAY_MS = 24 * 60 * 60_000;

export class Registration {
  readonly #settings: RelaySettings;
  readonly #hash: Hash;
  readonly #allowed: ReadonlySet<string>;
  readonly #perAddress: RateWindow;
  /** Namespaces already charged to somebody today: reconnecting costs nothing. */
  readonly #charged = new RateWindow({ limit: 1, windowMs: DAY_MS });

  constructor(settings: RelaySettings, hash: Hash) {
    this.#settings = settings;
    this.#hash = hash;
    this.#allowed = new Set(settings.allowedAgents.map(keyOf));
    this.#perAddress = new RateWindow({ limit: settings.newNamespacesPerAddressPerDay, windowMs: DAY_MS });
  }

  /** For a namespace that is not in the store. `now` in unbroken milliseconds. */
  judge(candidate: NewNamespace, now: number): RegistrationVerdict {
    const { registration, isPrivate } = this.#settings;
    if (registration === 'allowlist') {
      return this.#allowed.has(keyOf(candidate.agent)) ? 'stored' : 'unauthorized';
    }
    if (registration === 'invite') return this.#isInvited(candidate.invite) ? 'stored' : 'unauthorized';
    return isPrivate ? 'stored' : this.#openTo(candidate, now);
  }

  #isInvited(shown: string | undefined): boolean {
    const { invite } = this.#settings;
    if (!invite || !shown) return false;
    const digest = (text: string) => this.#hash.sha256(utf8(text.trim()));
    return this.#hash.equal(digest(shown), digest(invite));
  }

  #openTo({ namespaceId, prefixes }: NewNamespace, now: number): RegistrationVerdict {
    const seen = [{ key: keyOf(namespaceId), factor: 1 }];
    if (this.#charged.waitMs(seen, now) > 0) return 'unstored';
    if (this.#perAddress.waitMs(prefixes, now) > 0) return 'rate_limited';
    this.#charged.charge(seen, now);
    this.#perAddress.charge(prefixes, now);
    return 'unstored';
  }
}
