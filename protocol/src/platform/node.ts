/**
 * The platform port on Node ≥ 20.19: node:crypto for speed (02), node:zlib, ws.
 * Must not know keys, frames or payloads: bytes in, bytes out.
 */
import {
  createCipheriv,
  createDecipheriv,
  createHash,
  hkdf,
  randomBytes as nodeRandomBytes,
  pbkdf2,
} from 'node:crypto';
import { promisify } from 'node:util';
import { deflate, type InflateRaw, inflate, inflateRaw, type ZlibOptions } from 'node:zlib';
import { openNodeSocket } from './node-socket.js';
import { GCM_TAG_BYTES, isZeroFrom, MAX_TIMER_MS } from './platform.internals.js';
import type { Platform } from './platform.js';

const CIPHER = 'aes-256-gcm';
const GCM_OPTIONS = { authTagLength: GCM_TAG_BYTES };

/** A plain Uint8Array over a Buffer's bytes: `Buffer.slice` shares memory, `Uint8Array.slice` copies. */
function plain(buffer: Uint8Array): Uint8Array<ArrayBuffer> {
  return new Uint8Array(buffer.buffer as ArrayBuffer, buffer.byteOffset, buffer.byteLength);
}

const hkdfAsync = promisify(hkdf);
const pbkdf2Async = promisify(pbkdf2);
const deflateAsync = promisify(deflate) as (data: Uint8Array) => Promise<Uint8Array>;

async function aesGcmSeal(
  key: Uint8Array,
  nonce: Uint8Array,
  aad: Uint8Array,
  plaintext: Uint8Array,
): Promise<Uint8Array> {
  const cipher = createCipheriv(CIPHER, key, nonce, GCM_OPTIONS);
  cipher.setAAD(aad);
  return plain(Buffer.concat([cipher.update(plaintext), cipher.final(), cipher.getAuthTag()]));
}

async function aesGcmOpen(
  key: Uint8Array,
  nonce: Uint8Array,
  aad: Uint8Array,
  sealed: Uint8Array,
): Promise<Uint8Array | undefined> {
  if (sealed.length < GCM_TAG_BYTES) return undefined;
  const tagAt = sealed.length - GCM_TAG_BYTES;
  const decipher = createDecipheriv(CIPHER, key, nonce, GCM_OPTIONS);
  decipher.setAAD(aad);
  decipher.setAuthTag(sealed.subarray(tagAt));
  const plaintext = decipher.update(sealed.subarray(0, tagAt));
  try {
    decipher.final();
  } catch {
    return undefined; // Not authentic: what update() gave must not be seen by anyone.
  }
  return plain(plaintext);
}

type InflateResult = { buffer: Uint8Array; engine: InflateRaw };
type InflateCall = (
  data: Uint8Array,
  options: ZlibOptions,
  done: (error: Error | null, result: InflateResult) => void,
) => void;

/** With `info`, zlib also hands over its engine, whose `bytesWritten` counts the input it used. */
function nodeInflate(
  data: Uint8Array,
  format: 'zlib' | 'raw',
  maxBytes: number,
): Promise<Uint8Array | undefined> {
  const call = (format === 'zlib' ? inflate : inflateRaw) as unknown as InflateCall;
  return new Promise((resolve) => {
    call(data, { maxOutputLength: maxBytes, info: true }, (error, result) => {
      const ok = !error && isZeroFrom(data, result.engine.bytesWritten);
      resolve(ok ? plain(result.buffer) : undefined);
    });
  });
}

function setTimer(callback: () => void, ms: number): { cancel(): void } {
  const timer = setTimeout(callback, Math.min(ms, MAX_TIMER_MS));
  return { cancel: () => clearTimeout(timer) };
}

export const platform: Platform = {
  runtime: 'node',
  sha256: async (data) => plain(createHash('sha256').update(data).digest()),
  hkdfSha256: async (ikm, salt, info, lengthBytes) =>
    new Uint8Array(await hkdfAsync('sha256', ikm, salt, info, lengthBytes)),
  pbkdf2Sha256: async (password, salt, rounds, lengthBytes) =>
    plain(await pbkdf2Async(password, salt, rounds, lengthBytes, 'sha256')),
  aesGcmSeal,
  aesGcmOpen,
  inflate: nodeInflate,
  deflate: async (data) => plain(await deflateAsync(data)),
  randomBytes: (length) => plain(nodeRandomBytes(length)),
  openSocket: openNodeSocket,
  now: () => Date.now(),
  setTimer,
};
