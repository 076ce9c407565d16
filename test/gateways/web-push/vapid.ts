/** VAPID as RFC 8292 and the push services want it. Must not know subscriptions beyond the key they are bound to. */

import { createPublicKey, type KeyObject } from 'node:crypto';
import { parseUrl } from '@countersign/protocol';
import { isSignedEs256, type Jwt, parseJwt } from '../kit/jwt.js';
import { isBase64Url } from '../kit/shapes.js';
import { refuse, type WebPushRefusal } from './refusal.js';

const MAX_LIFE_S = 86_400;

export interface VapidContext {
  /** Origin of the endpoint, the only audience that holds. */
  readonly origin: string;
  /** Unix seconds. */
  readonly now: number;
  /** base64url of the key the subscription was made under; undefined: any. */
  readonly boundKey: string | undefined;
}

/** Undefined where the header proves the sender. */
export function checkVapid(
  authorization: string | undefined,
  context: VapidContext,
): WebPushRefusal | undefined {
  if (authorization === undefined) return refuse(401, 'MissingAuthorization', 'no Authorization header');
  const parameters = readParameters(authorization);
  const [token, keyText] = [parameters?.get('t'), parameters?.get('k')];
  if (token === undefined || keyText === undefined) {
    return refuse(401, 'BadAuthorization', 'not `vapid t=…, k=…`');
  }
  const key = readPoint(keyText);
  if (key === undefined) return refuse(403, 'BadVapidKey', 'k is no uncompressed P-256 point in base64url');
  if (context.boundKey !== undefined && context.boundKey !== keyText) {
    return refuse(403, 'VapidPkHashMismatch', 'the subscription was made under another key');
  }
  const jwt = parseJwt(token);
  if (jwt === undefined) return badJwt('t is no JWT');
  return isSignedEs256(jwt, key) ? checkClaims(jwt, context) : badJwt('not signed with ES256 by k');
}

/** The parameters of `vapid …`, none twice. */
function readParameters(authorization: string): Map<string, string> | undefined {
  const [, list] = /^vapid +(.+)$/i.exec(authorization) ?? [];
  if (list === undefined) return undefined;
  const parameters = new Map<string, string>();
  for (const part of list.split(',')) {
    const [, name = '', value = ''] = /^\s*([a-z]+)="?([A-Za-z0-9._-]+)"?\s*$/i.exec(part) ?? [];
    if (name === '' || parameters.has(name)) return undefined;
    parameters.set(name, value);
  }
  return parameters;
}

/** An uncompressed point that lies on the curve. */
export function readPoint(text: string): KeyObject | undefined {
  const point = isBase64Url(text) ? Buffer.from(text, 'base64url') : Buffer.alloc(0);
  if (point.length !== 65 || point[0] !== 4) return undefined;
  const [x, y] = [point.subarray(1, 33).toString('base64url'), point.subarray(33).toString('base64url')];
  try {
    return createPublicKey({ key: { kty: 'EC', crv: 'P-256', x, y }, format: 'jwk' });
  } catch {
    return undefined;
  }
}

function checkClaims({ claims }: Jwt, { origin, now }: VapidContext): WebPushRefusal | undefined {
  const { aud, exp, sub } = claims;
  if (aud !== origin) return badJwt('aud is not the origin of the endpoint');
  if (!Number.isSafeInteger(exp)) return badJwt('exp is not whole seconds');
  if ((exp as number) <= now) return badJwt('exp has passed');
  if ((exp as number) > now + MAX_LIFE_S) return badJwt('exp is more than 24 hours away');
  return isContact(sub) ? undefined : badJwt('sub is no mailto: or https: contact, or one at localhost');
}

/** A contact Apple takes too: not at localhost. */
function isContact(sub: unknown): boolean {
  const url = typeof sub === 'string' ? parseUrl(sub) : undefined;
  if (url === undefined) return false;
  const { protocol, hostname, pathname } = url;
  const host = protocol === 'mailto:' ? /^[^@\s]+@([^@\s]+)$/.exec(pathname)?.[1] : hostname;
  const isKnown = protocol === 'mailto:' || protocol === 'https:';
  return isKnown && host !== undefined && host !== '' && !/(^|\.)localhost$/i.test(host);
}

function badJwt(why: string): WebPushRefusal {
  return refuse(403, 'BadJwtToken', why);
}
