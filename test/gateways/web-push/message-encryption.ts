/**
 * The receiving half of RFC 8291 over RFC 8188, written from the RFCs and independent of any sender's library.
 * Must not know HTTP.
 */
import { createDecipheriv, createECDH, hkdfSync, randomBytes } from 'node:crypto';

const CURVE = 'prime256v1';
const SALT_BYTES = 16;
const POINT_BYTES = 65;
const TAG_BYTES = 16;
const HEADER_BYTES = SALT_BYTES + 4 + 1 + POINT_BYTES;
const LAST_RECORD_DELIMITER = 2;
/** RFC 8188 §2: smaller record sizes hold no byte of content. */
const MIN_RECORD_SIZE = 18;

/** What the browser keeps: never leaves the gateway in life. */
export interface ReceiverKeys {
  readonly privateKey: Buffer;
  /** Uncompressed point, 65 bytes. */
  readonly publicKey: Buffer;
  /** 16 bytes. */
  readonly auth: Buffer;
}

export type Opened = { readonly plaintext: Buffer } | { readonly fault: string };

export function makeReceiverKeys(): ReceiverKeys {
  const ecdh = createECDH(CURVE);
  const publicKey = ecdh.generateKeys();
  return { privateKey: ecdh.getPrivateKey(), publicKey, auth: randomBytes(16) };
}

/** Decrypts one push body; says in words what is wrong with any other. Never throws. */
export function openMessage(body: Buffer, keys: ReceiverKeys): Opened {
  if (body.length < HEADER_BYTES + TAG_BYTES + 1) return { fault: 'shorter than header, delimiter and tag' };
  const salt = body.subarray(0, SALT_BYTES);
  const recordSize = body.readUInt32BE(SALT_BYTES);
  const senderKey = body.subarray(HEADER_BYTES - POINT_BYTES, HEADER_BYTES);
  const record = body.subarray(HEADER_BYTES);
  if (body[SALT_BYTES + 4] !== POINT_BYTES || senderKey[0] !== 4) return { fault: 'keyid is no P-256 point' };
  if (recordSize < MIN_RECORD_SIZE) return { fault: 'record size below 18' };
  if (record.length > recordSize) return { fault: 'more than one record' };
  try {
    return withoutPadding(decrypt(record, deriveKeys(senderKey, salt, keys)));
  } catch {
    return { fault: 'does not decrypt with the keys of the subscription' };
  }
}

interface ContentKeys {
  readonly key: Buffer;
  readonly nonce: Buffer;
}

/** RFC 8291 §3.4. The sequence number of the only record is 0, so the nonce is used as derived. */
function deriveKeys(senderKey: Buffer, salt: Buffer, keys: ReceiverKeys): ContentKeys {
  const ecdh = createECDH(CURVE);
  ecdh.setPrivateKey(keys.privateKey);
  const secret = ecdh.computeSecret(senderKey);
  const info = Buffer.concat([Buffer.from('WebPush: info\0'), keys.publicKey, senderKey]);
  const ikm = Buffer.from(hkdfSync('sha256', secret, keys.auth, info, 32));
  const derive = (label: string, length: number): Buffer =>
    Buffer.from(hkdfSync('sha256', ikm, salt, `Content-Encoding: ${label}\0`, length));
  return { key: derive('aes128gcm', 16), nonce: derive('nonce', 12) };
}

function decrypt(record: Buffer, { key, nonce }: ContentKeys): Buffer {
  const decipher = createDecipheriv('aes-128-gcm', key, nonce);
  decipher.setAuthTag(record.subarray(-TAG_BYTES));
  return Buffer.concat([decipher.update(record.subarray(0, -TAG_BYTES)), decipher.final()]);
}

function withoutPadding(padded: Buffer): Opened {
  let end = padded.length - 1;
  while (end >= 0 && padded[end] === 0) end -= 1;
  if (padded[end] !== LAST_RECORD_DELIMITER) return { fault: 'the delimiter is not 2: not the last record' };
  return { plaintext: padded.subarray(0, end) };
}
