/**
 * Small helpers for byte strings and their hex names. Pure; must not know frames, crypto or a runtime.
 */

const HEX = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'));
const encoder = new TextEncoder();

/** Lower-case hex, two characters a byte. */
export function toHex(bytes: Uint8Array): string {
  let text = '';
  for (const byte of bytes) text += HEX[byte];
  return text;
}

/**
 * The `bytes` bytes that `text` names, capital letters allowed; undefined for anything else, a wrong length
 * and a value that is no string included. Never throws.
 */
export function fromHex(text: unknown, bytes: number): Uint8Array<ArrayBuffer> | undefined {
  if (typeof text !== 'string' || text.length !== bytes * 2 || !/^[0-9a-fA-F]*$/.test(text)) return undefined;
  const out = new Uint8Array(bytes);
  for (let i = 0; i < bytes; i++) out[i] = Number.parseInt(text.slice(2 * i, 2 * i + 2), 16);
  return out;
}

/** The first 8 hex characters of an id: all that a log may hold of it. Not unique. Text that is no hex gives `?`. */
export function shortId(id: Uint8Array | string): string {
  if (typeof id !== 'string') return toHex(id.subarray(0, 4));
  return /^[0-9a-fA-F]{8}/.exec(id)?.[0].toLowerCase() ?? '?';
}

/** Same length and content. Not constant time: for public values only. */
export function bytesEqual(a: Uint8Array, b: Uint8Array): boolean {
  if (a.length !== b.length) return false;
  for (let i = 0; i < a.length; i++) if (a[i] !== b[i]) return false;
  return true;
}

/** A fresh array that holds the parts one after another. */
export function concatBytes(...parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const out = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    out.set(part, at);
    at += part.length;
  }
  return out;
}

/** UTF-8 of a text; a lone surrogate becomes U+FFFD (WHATWG Encoding, 8.2). */
export function utf8(text: string): Uint8Array<ArrayBuffer> {
  return encoder.encode(text);
}
