/**
 * The platform port in a browser or worker: Web Crypto, DecompressionStream, the native WebSocket.
 * Must not know keys, frames or payloads, and nothing of Node. Needs a secure context (Web Crypto).
 */
import { GCM_TAG_BYTES, MAX_TIMER_MS } from './platform.internals.js';
import type { Platform } from './platform.js';
import { deflateZlib, inflateBounded } from './web-inflate.js';
import { openWebSocket } from './web-socket.js';

/** Most bytes one call of getRandomValues gives (W3C Web Cryptography, 10.1.1). */
const MAX_RANDOM_BYTES = 65_536;

/** Web Crypto's types exclude shared memory, which never occurs here. */
const source = (bytes: Uint8Array) => bytes as Uint8Array<ArrayBuffer>;

async function derive(
  algorithm: HkdfParams | Pbkdf2Params,
  secret: Uint8Array,
  lengthBytes: number,
): Promise<Uint8Array> {
  const { subtle } = globalThis.crypto;
  const key = await subtle.importKey('raw', source(secret), algorithm.name, false, ['deriveBits']);
  return new Uint8Array(await subtle.deriveBits(algorithm, key, lengthBytes * 8));
}

function gcmKey(key: Uint8Array, usage: 'encrypt' | 'decrypt'): Promise<CryptoKey> {
  return globalThis.crypto.subtle.importKey('raw', source(key), 'AES-GCM', false, [usage]);
}

function gcmParams(nonce: Uint8Array, aad: Uint8Array): AesGcmParams {
  return {
    name: 'AES-GCM',
    iv: source(nonce),
    additionalData: source(aad),
    tagLength: GCM_TAG_BYTES * 8,
  };
}

async function aesGcmSeal(
  key: Uint8Array,
  nonce: Uint8Array,
  aad: Uint8Array,
  plaintext: Uint8Array,
): Promise<Uint8Array> {
  const { subtle } = globalThis.crypto;
  const imported = await gcmKey(key, 'encrypt');
  return new Uint8Array(await subtle.encrypt(gcmParams(nonce, aad), imported, source(plaintext)));
}

async function aesGcmOpen(
  key: Uint8Array,
  nonce: Uint8Array,
  aad: Uint8Array,
  sealed: Uint8Array,
): Promise<Uint8Array | undefined> {
  if (sealed.length < GCM_TAG_BYTES) return undefined;
  const imported = await gcmKey(key, 'decrypt');
  try {
    const { subtle } = globalThis.crypto;
    return new Uint8Array(await subtle.decrypt(gcmParams(nonce, aad), imported, source(sealed)));
  } catch {
    return undefined;
  }
}

function randomBytes(length: number): Uint8Array {
  const out = new Uint8Array(length);
  for (let at = 0; at < length; at += MAX_RANDOM_BYTES) {
    globalThis.crypto.getRandomValues(out.subarray(at, at + MAX_RANDOM_BYTES));
  }
  return out;
}

function setTimer(callback: () => void, ms: number): { cancel(): void } {
  const timer = setTimeout(callback, Math.min(ms, MAX_TIMER_MS));
  return { cancel: () => clearTimeout(timer) };
}

export const platform: Platform = {
  runtime: 'web',
  sha256: async (data) => new Uint8Array(await globalThis.crypto.subtle.digest('SHA-256', source(data))),
  hkdfSha256: (ikm, salt, info, lengthBytes) =>
    derive({ name: 'HKDF', hash: 'SHA-256', salt: source(salt), info: source(info) }, ikm, lengthBytes),
  pbkdf2Sha256: (password, salt, iterations, lengthBytes) =>
    derive({ name: 'PBKDF2', hash: 'SHA-256', salt: source(salt), iterations }, password, lengthBytes),
  aesGcmSeal,
  aesGcmOpen,
  inflate: inflateBounded,
  deflate: deflateZlib,
  randomBytes,
  openSocket: openWebSocket,
  now: () => Date.now(),
  setTimer,
};
