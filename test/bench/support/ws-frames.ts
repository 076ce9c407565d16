/**
 * WebSocket frames as a client writes and reads them (RFC 6455 §5), made of buffers alone: what a generator sends is
 * built before the clock runs. Must not know sockets or what a message holds.
 */

export const OPCODE = { binary: 2, close: 8, ping: 9, pong: 10 } as const;

const FIN = 0x80;
const MASKED = 0x80;
const MASK_BYTES = 4;
const SHORT_MAX = 125;
const SIZE16 = 126;
const SIZE64 = 127;
const UINT16_MAX = 0xffff;

/** One whole client frame. `mask` has four bytes; all zero would spare the server the work of unmasking. */
export function maskedFrame(opcode: number, payload: Uint8Array, mask: Uint8Array): Buffer {
  const size = sizeBytes(payload.length);
  const frame = Buffer.alloc(2 + size + MASK_BYTES + payload.length);
  frame[0] = FIN | opcode;
  frame[1] = MASKED | sizeMark(payload.length);
  if (size === 2) frame.writeUInt16BE(payload.length, 2);
  if (size === 8) frame.writeBigUInt64BE(BigInt(payload.length), 2);
  const start = 2 + size + MASK_BYTES;
  frame.set(mask.subarray(0, MASK_BYTES), 2 + size);
  for (let at = 0; at < payload.length; at++) {
    frame[start + at] = (payload[at] as number) ^ (mask[at % MASK_BYTES] as number);
  }
  return frame;
}

/** Bytes of a server's frame with this payload. */
export function serverFrameBytes(payloadBytes: number): number {
  return 2 + sizeBytes(payloadBytes) + payloadBytes;
}

function sizeBytes(payloadBytes: number): number {
  if (payloadBytes <= SHORT_MAX) return 0;
  return payloadBytes <= UINT16_MAX ? 2 : 8;
}

function sizeMark(payloadBytes: number): number {
  if (payloadBytes <= SHORT_MAX) return payloadBytes;
  return payloadBytes <= UINT16_MAX ? SIZE16 : SIZE64;
}

export type OnFrame = (opcode: number, payload: Buffer) => void;

/** Takes a server's stream apart, whatever pieces it comes in. Fragments are not joined: our servers send none. */
export class FrameReader {
  readonly #onFrame: OnFrame;
  #rest: Buffer = Buffer.alloc(0);

  constructor(onFrame: OnFrame) {
    this.#onFrame = onFrame;
  }

  push(chunk: Buffer): void {
    let bytes = this.#rest.length > 0 ? Buffer.concat([this.#rest, chunk]) : chunk;
    for (let end = frameEnd(bytes); end > 0; end = frameEnd(bytes)) {
      const head = headBytes(bytes[1] as number);
      this.#onFrame((bytes[0] as number) & 0x0f, bytes.subarray(head, end));
      bytes = bytes.subarray(end);
    }
    this.#rest = bytes;
  }
}

function headBytes(second: number): number {
  if (second === SIZE16) return 4;
  return second === SIZE64 ? 10 : 2;
}

/** Where the first frame ends; 0 while it is not whole. */
function frameEnd(bytes: Buffer): number {
  if (bytes.length < 2) return 0;
  const second = bytes[1] as number;
  const head = headBytes(second);
  if (bytes.length < head) return 0;
  const end = head + payloadBytes(bytes, second);
  return bytes.length < end ? 0 : end;
}

function payloadBytes(bytes: Buffer, second: number): number {
  if (second === SIZE16) return bytes.readUInt16BE(2);
  return second === SIZE64 ? Number(bytes.readBigUInt64BE(2)) : second;
}
