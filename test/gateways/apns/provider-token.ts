/**
 * The rules of provider tokens (Apple: "Establishing a token-based connection to APNs"), per connection.
 * Must not know what the request asks for.
 */
import { createPublicKey, generateKeyPairSync, type KeyObject, randomInt } from 'node:crypto';
import { isSignedEs256, type Jwt, parseJwt } from '../kit/jwt.js';
import { type ApnsRefusal, refuse } from './reasons.js';

export type ApnsEnvironment = 'production' | 'sandbox';

/** What Apple hands to a developer: put `key` in a `.p8` file. */
export interface ApnsCredential {
  /** 10 characters. */
  readonly keyId: string;
  readonly teamId: string;
  /** PKCS #8 PEM of a P-256 key. */
  readonly key: string;
  /** Set for a key that one environment takes only. */
  readonly environment?: ApnsEnvironment;
}

const MAX_AGE_S = 3_600;
const MAX_AHEAD_S = 60;
/** Two different tokens on one connection must have been made this far apart. */
export const MIN_RENEWAL_S = 1_200;

export function makeCredential(teamId: string, environment?: ApnsEnvironment): ApnsCredential {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  return {
    keyId: appleId(),
    teamId,
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    ...(environment && { environment }),
  };
}

/** Ten capitals and digits, as Apple's ids are. */
export function appleId(): string {
  const alphabet = 'ABCDEFGHJKLMNPQRSTUVWXYZ23456789';
  return Array.from({ length: 10 }, () => alphabet[randomInt(alphabet.length)]).join('');
}

interface Accepted {
  readonly text: string;
  readonly keyId: string;
  readonly teamId: string;
  readonly iat: number;
}

/** What one connection has seen of tokens. */
export class ProviderTokenCheck {
  readonly #environment: ApnsEnvironment;
  readonly #keys: ReadonlyMap<string, { credential: ApnsCredential; publicKey: KeyObject }>;
  #last: Accepted | undefined;
  #blockedUntil = Number.NEGATIVE_INFINITY;

  constructor(environment: ApnsEnvironment, credentials: readonly ApnsCredential[]) {
    this.#environment = environment;
    this.#keys = new Map(
      credentials.map((credential) => [
        credential.keyId,
        { credential, publicKey: createPublicKey(credential.key) },
      ]),
    );
  }

  /** `now` in unix seconds. Undefined where the token holds. */
  check(authorization: string | undefined, now: number): ApnsRefusal | undefined {
    const text = /^bearer +(\S+)$/i.exec(authorization ?? '')?.[1];
    if (text === undefined) return refuse('MissingProviderToken', 'no `authorization: bearer <token>`');
    const known = text === this.#last?.text ? this.#last : this.#verify(text);
    return 'reason' in known ? known : (this.#checkTime(known, now) ?? this.#checkRenewal(known, now));
  }

  #verify(text: string): Accepted | ApnsRefusal {
    const jwt = parseJwt(text);
    if (jwt === undefined) return refuse('InvalidProviderToken', 'not a JWT');
    const keyId = String(jwt.header.kid);
    const key = this.#keys.get(keyId);
    if (key === undefined) return refuse('InvalidProviderToken', 'unknown kid');
    return this.#verifySigned(text, jwt, key.credential, key.publicKey);
  }

  #verifySigned(text: string, jwt: Jwt, credential: ApnsCredential, key: KeyObject): Accepted | ApnsRefusal {
    const { keyId, teamId, environment } = credential;
    const { iat, iss } = jwt.claims;
    if (!isSignedEs256(jwt, key)) return refuse('InvalidProviderToken', 'not signed with ES256 by that key');
    if (iss !== teamId) return refuse('InvalidProviderToken', 'iss is not the team of that key');
    if (!Number.isSafeInteger(iat)) return refuse('InvalidProviderToken', 'iat is not whole seconds');
    if (environment !== undefined && environment !== this.#environment) {
      return refuse('BadEnvironmentKeyIdInToken', `a key for ${environment} only`);
    }
    if (this.#last !== undefined && this.#last.keyId !== keyId) {
      return refuse('UnrelatedKeyIdInToken', 'another key than the first of this connection');
    }
    return { text, keyId, teamId, iat: iat as number };
  }

  #checkTime({ iat }: Accepted, now: number): ApnsRefusal | undefined {
    if (iat > now + MAX_AHEAD_S) return refuse('InvalidProviderToken', 'iat lies in the future');
    if (iat < now - MAX_AGE_S) return refuse('ExpiredProviderToken', 'iat is older than an hour');
    return undefined;
  }

  #checkRenewal(token: Accepted, now: number): ApnsRefusal | undefined {
    const last = this.#last;
    const tooSoon =
      last !== undefined && last.text !== token.text && Math.abs(token.iat - last.iat) < MIN_RENEWAL_S;
    if (tooSoon) this.#blockedUntil = now + MIN_RENEWAL_S;
    if (now < this.#blockedUntil) {
      return refuse(
        'TooManyProviderTokenUpdates',
        'tokens made less than 20 minutes apart on this connection',
      );
    }
    this.#last = token;
    return undefined;
  }
}
