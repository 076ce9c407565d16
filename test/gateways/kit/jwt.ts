/** Reads compact JWS strictly (RFC 7515, 7519). Must not know whose token it is nor what its claims should be. */
import { type KeyObject, verify } from 'node:crypto';
import { isBase64Url, isRecord } from './shapes.js';

export interface Jwt {
  readonly header: Readonly<Record<string, unknown>>;
  readonly claims: Readonly<Record<string, unknown>>;
  /** What was signed. */
  readonly signed: Buffer;
  readonly signature: Buffer;
}

/** Undefined unless the text is three parts of unpadded base64url whose first two are JSON objects. */
export function parseJwt(text: string): Jwt | undefined {
  const parts = text.split('.');
  const [header = '', claims = '', signature = ''] = parts;
  if (parts.length !== 3 || !parts.every(isBase64Url)) return undefined;
  const [head, body] = [jsonObject(header), jsonObject(claims)];
  if (head === undefined || body === undefined) return undefined;
  return {
    header: head,
    claims: body,
    signed: Buffer.from(`${header}.${claims}`),
    signature: Buffer.from(signature, 'base64url'),
  };
}

/** ES256 as RFC 7518 §3.4 wants it: 64 bytes of r and s, no DER. */
export function isSignedEs256(jwt: Jwt, key: KeyObject): boolean {
  if (jwt.header.alg !== 'ES256' || jwt.signature.length !== 64) return false;
  return verify('sha256', jwt.signed, { key, dsaEncoding: 'ieee-p1363' }, jwt.signature);
}

export function isSignedRs256(jwt: Jwt, key: KeyObject): boolean {
  return jwt.header.alg === 'RS256' && verify('sha256', jwt.signed, key, jwt.signature);
}

function jsonObject(part: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(Buffer.from(part, 'base64url').toString('utf8'));
    return isRecord(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
