/** The cryptography of 02 over node:crypto alone. Knows no frame and no payload. */
import {
  createCipheriv,
  createDecipheriv,
  createHash,
  createPrivateKey,
  createPublicKey,
  diffieHellman,
  hkdfSync,
  type KeyObject,
  pbkdf2Sync,
  sign,
  verify,
} from 'node:crypto';

const PKCS8 = { ed25519: '302e020100300506032b657004220420', x25519: '302e020100300506032b656e04220420' };
const SPKI = { ed25519: '302a300506032b6570032100', x25519: '302a300506032b656e032100' };
type Curve = keyof typeof PKCS8;

export const sha256 = (...parts: (Uint8Array | string)[]): Buffer => {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(part);
  return hash.digest();
};

const hkdf = (ikm: Uint8Array, salt: string, info: string): Buffer =>
  Buffer.from(hkdfSync('sha256', ikm, salt, info, 32));

export const privateKey = (curve: Curve, raw: Buffer): KeyObject =>
  createPrivateKey({
    key: Buffer.concat([Buffer.from(PKCS8[curve], 'hex'), raw]),
    format: 'der',
    type: 'pkcs8',
  });

const publicKey = (curve: Curve, raw: Buffer): KeyObject =>
  createPublicKey({
    key: Buffer.concat([Buffer.from(SPKI[curve], 'hex'), raw]),
    format: 'der',
    type: 'spki',
  });

const rawPublic = (key: KeyObject): Buffer =>
  createPublicKey(key).export({ format: 'der', type: 'spki' }).subarray(-32);

export interface Identity {
  edSeed: Buffer;
  xScalar: Buffer;
  ed25519: Buffer;
  x25519: Buffer;
  sign(text: Uint8Array): Buffer;
}

export function identityOf(seed: Buffer): Identity {
  const edSeed = hkdf(seed, 'skald-kdf-v1', 'ed25519');
  const xScalar = hkdf(seed, 'skald-kdf-v1', 'x25519');
  const ed = privateKey('ed25519', edSeed);
  return {
    edSeed,
    xScalar,
    ed25519: rawPublic(ed),
    x25519: x25519Public(xScalar),
    sign: (text) => sign(null, text, ed),
  };
}

export const x25519Public = (scalar: Buffer): Buffer => rawPublic(privateKey('x25519', scalar));

export const verifySignature = (ed25519: Buffer, text: Uint8Array, signature: Buffer): boolean =>
  verify(null, text, publicKey('ed25519', ed25519), signature);

export const namespaceOf = (ed25519: Buffer): Buffer => sha256('skald-namespace-v1', '\0', ed25519);

export const challengeText = (nonce: Buffer): Buffer =>
  Buffer.concat([Buffer.from('skald-relay-auth-v1\0'), nonce]);

/** Second half of a bound challenge (01 §3.1). */
export const commitment = (r: Buffer, authority: string): Buffer =>
  sha256('countersign-relay-v1', '\0', r, authority).subarray(0, 16);

export const sharedSecret = (scalar: Buffer, theirs: Buffer): Buffer =>
  diffieHellman({ privateKey: privateKey('x25519', scalar), publicKey: publicKey('x25519', theirs) });

export const sessionKey = (shared: Buffer): Buffer => hkdf(shared, 'skald-session-v1', 'aes-256-gcm');

export type Direction = 'to-device' | 'to-agent';

export function nonceOf(direction: Direction, counter: bigint): Buffer {
  const nonce = Buffer.alloc(12);
  nonce.writeUInt32BE(direction === 'to-device' ? 1 : 2);
  nonce.writeBigUInt64BE(counter, 4);
  return nonce;
}

export function sealBytes(key: Buffer, nonce: Buffer, aad: Buffer, plain: Uint8Array): Buffer {
  const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(aad);
  return Buffer.concat([cipher.update(plain), cipher.final(), cipher.getAuthTag()]);
}

export function openBytes(key: Buffer, nonce: Buffer, aad: Buffer, sealed: Buffer): Buffer {
  const decipher = createDecipheriv('aes-256-gcm', key, nonce, { authTagLength: 16 }).setAAD(aad);
  decipher.setAuthTag(sealed.subarray(-16));
  return Buffer.concat([decipher.update(sealed.subarray(0, -16)), decipher.final()]);
}

const CROCKFORD = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';

export interface PairingKeys {
  agentEd: Buffer;
  agentX: Buffer;
  deviceEd: Buffer;
  deviceX: Buffer;
  token: Buffer;
}

/** The eight characters a person compares (02 §5). */
export function pairingCode(shared: Buffer, keys: PairingKeys): string {
  const { agentEd, agentX, deviceEd, deviceX, token } = keys;
  const salt = sha256(
    'countersign-sas-v1',
    '\0',
    namespaceOf(agentEd),
    agentEd,
    deviceEd,
    agentX,
    deviceX,
    token,
  );
  let bits = BigInt(`0x${pbkdf2Sync(shared, salt, 600_000, 5, 'sha256').toString('hex')}`);
  let code = '';
  for (let i = 0; i < 8; i++) {
    code = CROCKFORD[Number(bits & 31n)] + code;
    bits >>= 5n;
  }
  return code;
}
