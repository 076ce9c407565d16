/**
 * What the relay sends on: sender in place of recipient, nothing of the extension tail but its own `seq`.
 * In place for frames that were peeked, through the library for the others, with the same result. The
 * ciphertext is never copied unless `seq` needs room that the frame has not. Must not know who may send what.
 */
import { BinaryWriter, WireType } from '@bufbuild/protobuf/wire';
import { encodeFrame } from './codec.js';
import type { MessageFrame } from './frame.js';
import { bodyOffsetOf, type MessagePeek, messageOf } from './message-peek.js';
import { sizeBytes, writeSize } from './varint.js';

export interface ForwardOptions {
  /** False delivers a live message as not live (to old peers, 01 §5); true changes nothing. */
  live: boolean;
  /** The relay's sequence, for recipients with the capability `received`. */
  seq?: bigint | undefined;
}

const MESSAGE_TAG = 0x62;
const SEQ_FIELD = 18;
const LIVE = Uint8Array.of(0x20, 1);
const NOTHING = new Uint8Array(0);

/**
 * Forwards a peeked frame. Overwrites `frame`, of which the result is a part (or a copy if `seq` does not fit):
 * read `peek.peer` and `peek.push` before, for they change with it.
 */
export function forwardMessage(
  frame: Uint8Array,
  peek: MessagePeek,
  sender: Uint8Array,
  options: ForwardOptions,
): Uint8Array {
  if (sender.length !== peek.peerBytes) return forwardDecoded(messageOf(frame, peek), sender, options);
  frame.set(sender, peek.peerOffset);
  const bodyOffset = bodyOffsetOf(peek);
  const coreEnd = peek.peerOffset + peek.peerBytes;
  const ending = endingOf(peek.live && options.live, options.seq);
  const end = coreEnd + ending.length;
  if (end > frame.length) return rebuilt(frame.subarray(bodyOffset, coreEnd), ending);
  frame.set(ending, coreEnd);
  const headerBytes = 1 + sizeBytes(end - bodyOffset);
  writeHeader(frame, bodyOffset - headerBytes, end - bodyOffset);
  return frame.subarray(bodyOffset - headerBytes, end);
}

/** Forwards a frame that only the library could read. `ref` and `push` are left behind. */
export function forwardDecoded(
  message: MessageFrame,
  sender: Uint8Array,
  options: ForwardOptions,
): Uint8Array {
  const { type, ciphertext, nonce } = message;
  const live = message.live && options.live;
  return encodeFrame({ type, ciphertext, nonce, peer: sender, live, seq: options.seq });
}

/** The fields after `peer`, as a proto3 writer puts them: a false `live` is left out. */
function endingOf(live: boolean, seq: bigint | undefined): Uint8Array {
  if (seq === undefined) return live ? LIVE : NOTHING;
  const writer = new BinaryWriter();
  if (live) writer.raw(LIVE);
  return writer.tag(SEQ_FIELD, WireType.Varint).uint64(seq).finish();
}

function rebuilt(core: Uint8Array, ending: Uint8Array): Uint8Array {
  const size = core.length + ending.length;
  const headerBytes = 1 + sizeBytes(size);
  const out = new Uint8Array(headerBytes + size);
  writeHeader(out, 0, size);
  out.set(core, headerBytes);
  out.set(ending, headerBytes + core.length);
  return out;
}

function writeHeader(bytes: Uint8Array, at: number, size: number): void {
  bytes[at] = MESSAGE_TAG;
  writeSize(bytes, at + 1, size);
}
