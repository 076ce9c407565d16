/** Base64url without padding (RFC 4648 §5), strict: one text per byte string. */

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';

export function toBase64Url(bytes: Uint8Array): string {
  let text = '';
  for (let at = 0; at < bytes.length; at += 3) {
    const group = bytes.subarray(at, at + 3);
    const bits = ((group[0] ?? 0) << 16) | ((group[1] ?? 0) << 8) | (group[2] ?? 0);
    for (let i = 0; i <= group.length; i++) text += ALPHABET[(bits >> (18 - 6 * i)) & 63];
  }
  return text;
}

/** Undefined for other characters, an impossible length, or bits set behind the last byte. */
export function fromBase64Url(text: string): Uint8Array | undefined {
  const out = new Uint8Array(Math.floor((text.length * 3) / 4));
  let bits = 0;
  let held = 0;
  let at = 0;
  for (const character of text) {
    const value = ALPHABET.indexOf(character);
    if (value < 0) return undefined;
    bits = ((bits << 6) | value) & 0xffff;
    held += 6;
    if (held < 8) continue;
    held -= 8;
    out[at++] = (bits >> held) & 0xff;
  }
  const leftover = bits & ((1 << held) - 1);
  return held < 6 && leftover === 0 ? out : undefined;
}
