/**
 * A queued message as the relay hands it out, written by hand: it does so for every message that waited. The same bytes
 * as the library would write. Must not know who may send what.
 */
import { safeUintBytes, sizeBytes, writeSafeUint, writeSize } from './varint.js';

export interface QueuedFrame {
  readonly ciphertext: Uint8Array;
  readonly nonce: Uint8Array;
  /** The authenticated sender. */
  readonly peer: Uint8Array;
  /** The relay's sequence, a safe integer, for recipients with the capability `received`. */
  readonly seq?: number | undefined;
}

const TAG = { message: 0x62, ciphertext: 0x0a, nonce: 0x12, peer: 0x1a } as const;
/** Field 18, varint. */
const SEQ_TAG = [0x90, 0x01] as const;

/** A frame of its own, not `live`, without `ref` and `push`. */
export function encodeQueued({ ciphertext, nonce, peer, seq }: QueuedFrame): Uint8Array {
  const seqBytes = seq === undefined ? 0 : SEQ_TAG.length + safeUintBytes(seq);
  const size = fieldBytes(ciphertext) + fieldBytes(nonce) + fieldBytes(peer) + seqBytes;
  const frame = new Uint8Array(1 + sizeBytes(size) + size);
  let at = writeHeader(frame, 0, TAG.message, size);
  at = writeField(frame, at, TAG.ciphertext, ciphertext);
  at = writeField(frame, at, TAG.nonce, nonce);
  at = writeField(frame, at, TAG.peer, peer);
  if (seq !== undefined) {
    frame.set(SEQ_TAG, at);
    writeSafeUint(frame, at + SEQ_TAG.length, seq);
  }
  return frame;
}

/** Empty ones are left out, as a proto3 writer does. */
function fieldBytes(bytes: Uint8Array): number {
  return bytes.length === 0 ? 0 : 1 + sizeBytes(bytes.length) + bytes.length;
}

function writeField(frame: Uint8Array, at: number, tag: number, bytes: Uint8Array): number {
  if (bytes.length === 0) return at;
  const start = writeHeader(frame, at, tag, bytes.length);
  frame.set(bytes, start);
  return start + bytes.length;
}

function writeHeader(frame: Uint8Array, at: number, tag: number, size: number): number {
  frame[at] = tag;
  writeSize(frame, at + 1, size);
  return at + 1 + sizeBytes(size);
}
