/**
 * The OAuth access token of a service account (RFC 7523; Google: "Using OAuth 2.0 for server to server
 * applications"). Own code because firebase-admin fetches tokens past the agent it is given when the account is not
 * a file, and never fetches a new one when Google refuses the old. Must not know messages.
 */
import type { KeyObject } from 'node:crypto';
import type { Agent } from 'node:https';
import type { Clock } from '../../../ports/index.js';
import { boundedPost, type PostResult, signJwt } from '../common/index.js';

export const TOKEN_URL = new URL('https://oauth2.googleapis.com/token');
const SCOPE = 'https://www.googleapis.com/auth/firebase.messaging';
const ASSERTION_SECONDS = 3_600;
/** Renewed so long before its end. */
const SPARE_MS = 300_000;
const MAX_ANSWER_BYTES = 16_384;
const TOKEN_DEADLINE_MS = 5_000;

export interface ServiceAccount {
  readonly projectId: string;
  readonly clientEmail: string;
  readonly privateKey: KeyObject;
}

/** `refused`: the account itself. `unavailable`: try again. */
export type AccessTokenResult = { readonly token: string } | 'refused' | 'unavailable';

export class AccessToken {
  readonly #account: ServiceAccount;
  readonly #agent: Agent;
  readonly #clock: Clock;
  #current: { readonly token: string; readonly until: number } | undefined;
  #fetching: Promise<AccessTokenResult> | undefined;

  constructor(account: ServiceAccount, agent: Agent, clock: Clock) {
    this.#account = account;
    this.#agent = agent;
    this.#clock = clock;
  }

  /** Parallel calls share one fetch. Never rejects. */
  get(): Promise<AccessTokenResult> {
    if (this.#current && this.#current.until > this.#clock.elapsed()) return Promise.resolve(this.#current);
    this.#fetching ??= this.#fetch().finally(() => {
      this.#fetching = undefined;
    });
    return this.#fetching;
  }

  /** Google refused this one; a newer one stays. */
  discard(token: string): void {
    if (this.#current?.token === token) this.#current = undefined;
  }

  async #fetch(): Promise<AccessTokenResult> {
    const controller = new AbortController();
    const cancel = this.#clock.after(TOKEN_DEADLINE_MS, () => controller.abort());
    const result = await boundedPost({
      url: TOKEN_URL,
      agent: this.#agent,
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams({
        grant_type: 'urn:ietf:params:oauth:grant-type:jwt-bearer',
        assertion: this.#assertion(),
      }).toString(),
      maxAnswerBytes: MAX_ANSWER_BYTES,
      signal: controller.signal,
    });
    cancel();
    return this.#accept(result);
  }

  #accept(result: PostResult): AccessTokenResult {
    if (typeof result === 'string' || result.status >= 500 || result.status === 429) return 'unavailable';
    const parsed = result.status === 200 ? parseToken(result.body) : undefined;
    if (parsed === undefined) return 'refused';
    this.#current = { token: parsed.token, until: this.#clock.elapsed() + parsed.lifeMs - SPARE_MS };
    return this.#current;
  }

  #assertion(): string {
    const iat = Math.floor(this.#clock.now() / 1_000);
    const { clientEmail: iss, privateKey } = this.#account;
    const claims = { iss, scope: SCOPE, aud: TOKEN_URL.href, iat, exp: iat + ASSERTION_SECONDS };
    return signJwt({ typ: 'JWT' }, claims, privateKey);
  }
}

function parseToken(body: string): { token: string; lifeMs: number } | undefined {
  try {
    const { access_token: token, expires_in: seconds } = JSON.parse(body) as Record<string, unknown>;
    if (typeof token !== 'string' || typeof seconds !== 'number' || !(seconds > 0)) return undefined;
    return { token, lifeMs: Math.min(seconds, ASSERTION_SECONDS) * 1_000 };
  } catch {
    return undefined;
  }
}
