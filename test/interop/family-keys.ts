/**
 * Keys and sealing of an original peer, over node:crypto alone: one static X25519 pair per seed, counters that begin
 * at 1 and only ever rise, zlib above 1,024 bytes. Must not know frames or payloads.
 */
import {
  createCipheriv,
  createDecipheriv,
  createHash,
  createPrivateKey,
  createPublicKey,
  diffieHellman,
  hkdfSync,
  type KeyObject,
  sign,
} from 'node:crypto';
import { deflateSync, inflateSync } from 'node:zlib';

/** DER up to the 32 raw bytes (RFC 8410). */
const PRIVATE = { ed25519: '302e020100300506032b657004220420', x25519: '302e020100300506032b656e04220420' };
const X25519_PUBLIC = '302a300506032b656e032100';
const TO_DEVICE = Buffer.from('00000001', 'hex');
const TO_AGENT = Buffer.from('00000002', 'hex');
const TAG_BYTES = 16;
const COMPRESS_ABOVE_BYTES = 1024;
const PLAIN = Buffer.from([1, 0]);
const ZLIB = Buffer.from([1, 1]);

export interface FamilyKeys {
  readonly ed25519: Buffer;
  readonly x25519: Buffer;
  /** Over the challenge's nonce. */
  login(nonce: Uint8Array): Buffer;
  readonly agreement: KeyObject;
}

/** From a seed of 32 equal bytes: `keysFrom(1)` is the same peer every time. */
export function keysFrom(byte: number): FamilyKeys {
  const seed = Buffer.alloc(32, byte);
  const signing = privateKey('ed25519', hkdf(seed, 'skald-kdf-v1', 'ed25519'));
  const agreement = privateKey('x25519', hkdf(seed, 'skald-kdf-v1', 'x25519'));
  return {
    ed25519: rawPublic(signing),
    x25519: rawPublic(agreement),
    agreement,
    login: (nonce) => sign(null, Buffer.concat([Buffer.from('skald-relay-auth-v1\0'), nonce]), signing),
  };
}

export function namespaceOf(agentEd25519: Uint8Array): Buffer {
  return createHash('sha256').update('skald-namespace-v1\0').update(agentEd25519).digest();
}

export interface Sealed {
  readonly nonce: Buffer;
  readonly ciphertext: Buffer;
}

export interface Ends {
  readonly role: 'agent' | 'device';
  readonly own: FamilyKeys;
  readonly peerEd25519: Uint8Array;
  readonly peerX25519: Uint8Array;
  readonly namespaceId: Uint8Array;
}

/** One direction each way between two peers; a counter that does not rise is refused, as the family does. */
export class FamilyChannel {
  readonly #ends: Ends;
  readonly #key: Buffer;
  #sent = 0n;
  #seen = 0n;

  constructor(ends: Ends) {
    this.#ends = ends;
    const shared = diffieHellman({
      privateKey: ends.own.agreement,
      publicKey: x25519Public(ends.peerX25519),
    });
    this.#key = hkdf(shared, 'skald-session-v1', 'aes-256-gcm');
  }

  seal(payload: object): Sealed {
    const { role, own, peerEd25519, namespaceId } = this.#ends;
    const nonce = Buffer.alloc(12);
    (role === 'agent' ? TO_DEVICE : TO_AGENT).copy(nonce);
    this.#sent += 1n;
    nonce.writeBigUInt64BE(this.#sent, 4);
    const cipher = createCipheriv('aes-256-gcm', this.#key, nonce);
    cipher.setAAD(Buffer.concat([namespaceId, own.ed25519, peerEd25519]));
    const body = cipher.update(framed(Buffer.from(JSON.stringify(payload))));
    return { nonce, ciphertext: Buffer.concat([body, cipher.final(), cipher.getAuthTag()]) };
  }

  /** The JSON text. Throws for anything an original peer would drop. */
  open({ nonce, ciphertext }: { nonce: Uint8Array; ciphertext: Uint8Array }): string {
    const { role, own, peerEd25519, namespaceId } = this.#ends;
    const direction = Buffer.from(nonce.subarray(0, 4));
    if (!direction.equals(role === 'agent' ? TO_AGENT : TO_DEVICE)) throw new Error('wrong direction');
    const counter = Buffer.from(nonce).readBigUInt64BE(4);
    if (counter <= this.#seen) throw new Error('counter does not rise');
    const decipher = createDecipheriv('aes-256-gcm', this.#key, nonce, { authTagLength: TAG_BYTES });
    decipher.setAAD(Buffer.concat([namespaceId, peerEd25519, own.ed25519]));
    decipher.setAuthTag(ciphertext.subarray(-TAG_BYTES));
    const plain = Buffer.concat([decipher.update(ciphertext.subarray(0, -TAG_BYTES)), decipher.final()]);
    this.#seen = counter;
    return unframed(plain);
  }
}

function framed(json: Buffer): Buffer {
  return json.length > COMPRESS_ABOVE_BYTES
    ? Buffer.concat([ZLIB, deflateSync(json)])
    : Buffer.concat([PLAIN, json]);
}

function unframed(plain: Buffer): string {
  const header = plain.subarray(0, 2);
  if (header.equals(PLAIN)) return plain.subarray(2).toString();
  if (header.equals(ZLIB)) return inflateSync(plain.subarray(2)).toString();
  throw new Error('unknown framing');
}

function hkdf(ikm: Uint8Array, salt: string, info: string): Buffer {
  return Buffer.from(hkdfSync('sha256', ikm, salt, info, 32));
}

function privateKey(curve: keyof typeof PRIVATE, raw: Buffer): KeyObject {
  const key = Buffer.concat([Buffer.from(PRIVATE[curve], 'hex'), raw]);
  return createPrivateKey({ key, format: 'der', type: 'pkcs8' });
}

function x25519Public(raw: Uint8Array): KeyObject {
  const key = Buffer.concat([Buffer.from(X25519_PUBLIC, 'hex'), raw]);
  return createPublicKey({ key, format: 'der', type: 'spki' });
}

function rawPublic(key: KeyObject): Buffer {
  return createPublicKey(key).export({ format: 'der', type: 'spki' }).subarray(-32);
}
