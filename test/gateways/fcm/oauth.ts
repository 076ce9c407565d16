/**
 * Google's token endpoint for service accounts ("Using OAuth 2.0 for Server to Server Applications"). Must not know
 * messages.
 */
import { generateKeyPairSync, type KeyObject, randomBytes } from 'node:crypto';
import type { Exchange } from '../kit/exchange.js';
import { isSignedRs256, type Jwt, parseJwt } from '../kit/jwt.js';
import type { Answer } from '../kit/traffic.js';
import { type FcmRefusal, jsonAnswer, oauthError } from './errors.js';

/** The file a Firebase project gives out ("Generate new private key"). */
export interface ServiceAccount {
  readonly type: 'service_account';
  readonly project_id: string;
  readonly private_key_id: string;
  /** PKCS #8 PEM, RSA. */
  readonly private_key: string;
  readonly client_email: string;
  readonly client_id: string;
  readonly token_uri: string;
}

/** Paths of the endpoint and the audience each asks for. */
export const TOKEN_ENDPOINTS: ReadonlyMap<string, string> = new Map([
  ['/token', 'https://oauth2.googleapis.com/token'],
  ['/oauth2/v4/token', 'https://www.googleapis.com/oauth2/v4/token'],
]);
const GRANT = 'urn:ietf:params:oauth:grant-type:jwt-bearer';
const SCOPES = [
  'https://www.googleapis.com/auth/firebase.messaging',
  'https://www.googleapis.com/auth/cloud-platform',
];
const MAX_LIFE_S = 3_600;
const MAX_AHEAD_S = 300;

export class OAuthEndpoint {
  readonly #projectId: string;
  readonly #tokenLifeS: number;
  /** Bearer token → unix seconds of its end. */
  readonly #issued = new Map<string, number>();
  #made: { readonly account: ServiceAccount; readonly publicKey: KeyObject } | undefined;

  constructor(projectId: string, tokenLifeS = MAX_LIFE_S) {
    this.#projectId = projectId;
    this.#tokenLifeS = tokenLifeS;
  }

  get account(): ServiceAccount {
    return this.#make().account;
  }

  /** How many bearer tokens were given out. */
  get issued(): number {
    return this.#issued.size;
  }

  /** Every token given out so far is refused from now on. */
  revokeAll(): void {
    for (const token of this.#issued.keys()) this.#issued.set(token, Number.NEGATIVE_INFINITY);
  }

  holds(authorization: string | undefined, now: number): boolean {
    const token = /^Bearer (\S+)$/i.exec(authorization ?? '')?.[1] ?? '';
    return now < (this.#issued.get(token) ?? Number.NEGATIVE_INFINITY);
  }

  /** Answers a token request; `now` in unix seconds. */
  serve(exchange: Exchange, now: number): Answer {
    const refusal = this.#refusal(exchange, now);
    if (refusal !== undefined) {
      exchange.record.refusal = refusal.why;
      return refusal.answer;
    }
    const token = `ya29.${randomBytes(48).toString('base64url')}`;
    this.#issued.set(token, now + this.#tokenLifeS);
    return jsonAnswer({ access_token: token, expires_in: this.#tokenLifeS, token_type: 'Bearer' });
  }

  /** Made when first asked for: an RSA key takes its time, and who tests APNs needs none. */
  #make(): { readonly account: ServiceAccount; readonly publicKey: KeyObject } {
    if (this.#made === undefined) {
      const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
      const pem = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
      this.#made = { account: serviceAccount(this.#projectId, pem), publicKey };
    }
    return this.#made;
  }

  #refusal(exchange: Exchange, now: number): FcmRefusal | undefined {
    const { method, path, body } = exchange.record;
    const audience = TOKEN_ENDPOINTS.get(path);
    if (method !== 'POST' || audience === undefined)
      return oauthError(404, 'not_found', 'not a token endpoint');
    if (!/^application\/x-www-form-urlencoded\b/.test(exchange.header('content-type') ?? '')) {
      return oauthError(400, 'invalid_request', 'content type is not a form');
    }
    const form = new URLSearchParams(body.toString('utf8'));
    if (form.get('grant_type') !== GRANT)
      return oauthError(400, 'unsupported_grant_type', 'wrong grant_type');
    const jwt = parseJwt(form.get('assertion') ?? '');
    if (jwt === undefined) return oauthError(400, 'invalid_grant', 'the assertion is no JWT');
    return this.#checkAssertion(jwt, audience, now);
  }

  #checkAssertion(jwt: Jwt, audience: string, now: number): FcmRefusal | undefined {
    const { iss, aud, iat, exp, scope } = jwt.claims;
    const grant = (why: string): FcmRefusal => oauthError(400, 'invalid_grant', why);
    if (!isSignedRs256(jwt, this.#make().publicKey)) return grant('Invalid JWT Signature.');
    if (iss !== this.account.client_email) return grant('iss is not the service account');
    if (aud !== audience) return grant('aud is not this token endpoint');
    if (!Number.isSafeInteger(iat) || !Number.isSafeInteger(exp)) return grant('iat and exp are not seconds');
    const [from, to] = [iat as number, exp as number];
    if (to - from > MAX_LIFE_S || to <= from) return grant('exp is not within an hour of iat');
    if (from > now + MAX_AHEAD_S || to <= now) return grant('iat and exp are not around now');
    const scopes = String(scope).split(' ');
    return scopes.some((each) => SCOPES.includes(each))
      ? undefined
      : oauthError(400, 'invalid_scope', 'no scope for messaging');
  }
}

function serviceAccount(projectId: string, privateKey: string): ServiceAccount {
  return {
    type: 'service_account',
    project_id: projectId,
    private_key_id: randomBytes(20).toString('hex'),
    private_key: privateKey,
    client_email: `firebase-adminsdk@${projectId}.iam.gserviceaccount.com`,
    client_id: '100000000000000000001',
    token_uri: 'https://oauth2.googleapis.com/token',
  };
}
