/**
 * Base-128 varints (protobuf encoding guide), shortest form only, for the hot path. Anything else makes the
 * caller fall back to the library. Must not know fields.
 */

/** Four bytes hold 2^28 - 1, above every size a frame can have. */
const MAX_SIZE_BYTES = 4;
const MAX_UINT64_BYTES = 10;

/** Bytes of the shortest varint of a size below 2^28. */
export function sizeBytes(value: number): number {
  if (value < 0x80) return 1;
  if (value < 0x4000) return 2;
  return value < 0x200000 ? 3 : 4;
}

/** A size or tag at `at`, or -1 when it is cut off, above four bytes, or not in shortest form. */
export function readSize(bytes: Uint8Array, at: number): number {
  let value = 0;
  for (let i = 0; i < MAX_SIZE_BYTES; i++) {
    const byte = bytes[at + i];
    if (byte === undefined) return -1;
    value |= (byte & 0x7f) << (7 * i);
    if (byte < 0x80) return byte === 0 && i > 0 ? -1 : value;
  }
  return -1;
}

/** Writes the shortest form at `at`. */
export function writeSize(bytes: Uint8Array, at: number, value: number): void {
  let rest = value;
  let i = at;
  for (; rest >= 0x80; i++, rest >>>= 7) bytes[i] = (rest & 0x7f) | 0x80;
  bytes[i] = rest;
}

/** A uint64 at `at` with the offset after it, or undefined when cut off, too large, or not in shortest form. */
export function readUint64(bytes: Uint8Array, at: number): { value: bigint; end: number } | undefined {
  let value = 0n;
  for (let i = 0; i < MAX_UINT64_BYTES; i++) {
    const byte = bytes[at + i];
    if (byte === undefined) return undefined;
    value |= BigInt(byte & 0x7f) << BigInt(7 * i);
    if (byte >= 0x80) continue;
    const exact = (byte !== 0 || i === 0) && value < 1n << 64n;
    return exact ? { value, end: at + i + 1 } : undefined;
  }
  return undefined;
}

/** Bytes of the shortest varint of a safe integer that is not negative. */
export function safeUintBytes(value: number): number {
  let bytes = 1;
  for (let rest = value; rest >= 0x80; rest = Math.floor(rest / 0x80)) bytes++;
  return bytes;
}

/** Writes the shortest form of a safe integer that is not negative at `at`. */
export function writeSafeUint(bytes: Uint8Array, at: number, value: number): void {
  let rest = value;
  let i = at;
  for (; rest >= 0x80; i++, rest = Math.floor(rest / 0x80)) bytes[i] = (rest % 0x80) | 0x80;
  bytes[i] = rest;
}
