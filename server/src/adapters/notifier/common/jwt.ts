/** A signed JSON Web Token (RFC 7515, RFC 7519) for a provider. Must not know what the claims say. */
import { type KeyObject, sign } from 'node:crypto';

/** ES256 for a P-256 key, RS256 for an RSA key; `header` besides `alg`. */
export function signJwt(header: object, claims: object, key: KeyObject): string {
  const alg = key.asymmetricKeyType === 'ec' ? 'ES256' : 'RS256';
  const signed = `${part({ alg, ...header })}.${part(claims)}`;
  const signature = sign('sha256', Buffer.from(signed), { key, dsaEncoding: 'ieee-p1363' });
  return `${signed}.${signature.toString('base64url')}`;
}

function part(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}
