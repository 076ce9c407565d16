/**
 * `received`, recognised before it waits in line: like a pong it only proves, and like one it counts against no
 * message. Must not know what was written.
 */
import { decodeFrame } from '@countersign/protocol';

/** Tag of member 33, and the longest frame that holds a uint64 in it. */
const TAG = [0x8a, 0x02] as const;
const MAX_BYTES = 14;

/** The seq it confirms; undefined when this is another frame. One no number of the relay can reach is infinite. */
export function receivedSeq(data: Uint8Array): number | undefined {
  if (data[0] !== TAG[0] || data[1] !== TAG[1] || data.length > MAX_BYTES) return undefined;
  const frame = decodeFrame(data);
  if (frame?.type !== 'received') return undefined;
  return frame.seq <= Number.MAX_SAFE_INTEGER ? Number(frame.seq) : Number.POSITIVE_INFINITY;
}
