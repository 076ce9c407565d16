/**
 * The relay's look at a message frame: where its parts are, without decoding or copying the ciphertext. Takes
 * only the canonical shape (member 12 alone; ciphertext, nonce, peer once each and in order; `live` after them
 * or absent, as proto3 writers leave false out; then fields from 16 on) in shortest varints. Everything else is
 * undefined and goes to the library codec, which gives the same result. Must not know lengths, roles or limits.
 */
import type { MessageFrame } from './frame.js';
import { isHints } from './push-hints.js';
import { readSize, readUint64, sizeBytes } from './varint.js';

/** Offsets are into the frame. Views share its bytes: `forwardMessage` overwrites them. */
export interface MessagePeek {
  live: boolean;
  /** The recipient: a view. */
  peer: Uint8Array;
  peerOffset: number;
  peerBytes: number;
  nonceOffset: number;
  nonceBytes: number;
  ciphertextOffset: number;
  ciphertextBytes: number;
  /** Where fields from 16 on begin; the frame's length when there are none. */
  tailOffset: number;
  ref?: bigint;
  /** Serialized PushHints: a view. */
  push?: Uint8Array;
  seq?: bigint;
}

const TAG = { message: 0x62, ciphertext: 0x0a, nonce: 0x12, peer: 0x1a, live: 0x20 } as const;
const WIRE_TYPE = { varint: 0, fixed64: 1, bytes: 2, fixed32: 5 } as const;
const FIRST_EXTENSION = 16;
const EXTENSION = { ref: 16, push: 17, seq: 18 } as const;

interface Span {
  readonly offset: number;
  readonly end: number;
}

type Tail = Pick<MessagePeek, 'ref' | 'push' | 'seq'>;

/** Where everything is, or undefined when this is not a canonical message frame. Never throws. */
export function peekMessage(frame: Uint8Array): MessagePeek | undefined {
  const body = span(frame, 0, TAG.message);
  if (body?.end !== frame.length) return undefined;
  const ciphertext = span(frame, body.offset, TAG.ciphertext);
  const nonce = ciphertext && span(frame, ciphertext.end, TAG.nonce);
  const peer = nonce && span(frame, nonce.end, TAG.peer);
  if (!ciphertext || !nonce || !peer) return undefined;
  const hasLive = frame[peer.end] === TAG.live;
  const live = hasLive ? frame[peer.end + 1] : 0;
  if (live !== 0 && live !== 1) return undefined;
  const tailOffset = peer.end + (hasLive ? 2 : 0);
  const tail = readTail(frame, tailOffset);
  if (tail === undefined) return undefined;
  return {
    live: live === 1,
    peer: frame.subarray(peer.offset, peer.end),
    peerOffset: peer.offset,
    peerBytes: peer.end - peer.offset,
    nonceOffset: nonce.offset,
    nonceBytes: nonce.end - nonce.offset,
    ciphertextOffset: ciphertext.offset,
    ciphertextBytes: ciphertext.end - ciphertext.offset,
    tailOffset,
    ...tail,
  };
}

/** The same as `decodeFrame` would give: views, no copy. */
export function messageOf(frame: Uint8Array, peek: MessagePeek): MessageFrame {
  const { live, peer, ref, push, seq } = peek;
  return {
    type: 'message',
    ciphertext: frame.subarray(peek.ciphertextOffset, peek.ciphertextOffset + peek.ciphertextBytes),
    nonce: frame.subarray(peek.nonceOffset, peek.nonceOffset + peek.nonceBytes),
    peer,
    live,
    ...(ref === undefined ? {} : { ref }),
    ...(push === undefined ? {} : { push }),
    ...(seq === undefined ? {} : { seq }),
  };
}

/** Where the content of member 12 begins; follows from the shortest form of the ciphertext's length. */
export function bodyOffsetOf(peek: MessagePeek): number {
  return peek.ciphertextOffset - sizeBytes(peek.ciphertextBytes) - 1;
}

/** A length-delimited field at `at` that carries this one-byte tag and lies within the frame. */
function span(frame: Uint8Array, at: number, tag: number): Span | undefined {
  if (frame[at] !== tag) return undefined;
  return sized(frame, at + 1);
}

function sized(frame: Uint8Array, at: number): Span | undefined {
  const size = readSize(frame, at);
  const offset = at + sizeBytes(size);
  return size < 0 || offset + size > frame.length ? undefined : { offset, end: offset + size };
}

function readTail(frame: Uint8Array, from: number): Tail | undefined {
  const tail: Tail = {};
  for (let at = from; at < frame.length; ) {
    const tag = readSize(frame, at);
    if (tag >>> 3 < FIRST_EXTENSION || tag < 0) return undefined;
    const end = readExtension(frame, at + sizeBytes(tag), tag, tail);
    if (end === undefined) return undefined;
    at = end;
  }
  return tail;
}

/** Reads one field into `tail` or passes over it; the offset after it, or undefined to leave it to the library. */
function readExtension(frame: Uint8Array, at: number, tag: number, tail: Tail): number | undefined {
  const field = tag >>> 3;
  const wireType = tag & 7;
  const isNumber = field === EXTENSION.ref || field === EXTENSION.seq;
  if (isNumber && wireType !== WIRE_TYPE.varint) return undefined;
  if (field === EXTENSION.push) return wireType === WIRE_TYPE.bytes ? readPush(frame, at, tail) : undefined;
  if (wireType !== WIRE_TYPE.varint) return skip(frame, at, wireType);
  const number = readUint64(frame, at);
  if (field === EXTENSION.ref && number) tail.ref = number.value;
  if (field === EXTENSION.seq && number) tail.seq = number.value;
  return number?.end;
}

/** A second `push` would have to be merged: the library does that. */
function readPush(frame: Uint8Array, at: number, tail: Tail): number | undefined {
  const hints = sized(frame, at);
  if (hints === undefined || tail.push !== undefined) return undefined;
  const push = frame.subarray(hints.offset, hints.end);
  if (!isHints(push)) return undefined;
  tail.push = push;
  return hints.end;
}

function skip(frame: Uint8Array, at: number, wireType: number): number | undefined {
  if (wireType === WIRE_TYPE.bytes) return sized(frame, at)?.end;
  if (wireType !== WIRE_TYPE.fixed64 && wireType !== WIRE_TYPE.fixed32) return undefined;
  const end = at + (wireType === WIRE_TYPE.fixed64 ? 8 : 4);
  return end <= frame.length ? end : undefined;
}
