/**
 * Bytes to frames and back over the protobuf library, for every frame. The relay's hot path goes round it
 * (message-peek.ts); both give the same result. Must not know lengths, roles or limits.
 */
import { create, fromBinary, toBinary } from '@bufbuild/protobuf';
import type { RelayFrame } from './frame.js';
import { fromWire } from './from-wire.js';
import { RelayFrameSchema } from './gen/relay_pb.js';
import { toWire } from './to-wire.js';

/**
 * One binary WebSocket message: fields in ascending order, so extensions (numbers from 16 on) come last.
 * Lone surrogates in texts become U+FFFD.
 * @throws Error when a number does not fit its field or `push` is not a serialized PushHints.
 */
export function encodeFrame(frame: RelayFrame): Uint8Array {
  return toBinary(RelayFrameSchema, create(RelayFrameSchema, { frame: toWire(frame) }));
}

/**
 * The frame in these bytes, or undefined when they cannot be decoded. Never throws. Repeated members follow
 * proto3: the last of a oneof wins, an embedded message that comes twice is merged; unknown fields are dropped.
 * Byte members are views of `bytes`, except `push`, which is written anew.
 */
export function decodeFrame(bytes: Uint8Array): RelayFrame | undefined {
  const plain = new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  try {
    return fromWire(fromBinary(RelayFrameSchema, plain, { readUnknownFields: false }).frame);
  } catch {
    return undefined;
  }
}
