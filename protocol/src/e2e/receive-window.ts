/**
 * Which counters of a peer were seen (02 §2): per epoch (counter div 2^20) the newest 1,024, for the 8 newest epochs.
 * Pure values; must not know who stores them or what a message did.
 */
import { CountersignError, SEAL } from '../frames/index.js';

const BITMAP_BYTES = SEAL.windowCounters / 8;
const ENTRY_BYTES = 8 + BITMAP_BYTES;
const FORMAT = 1;

interface EpochWindow {
  /** The highest counter seen in this epoch. */
  readonly top: number;
  /** Bit (counter mod 1,024) tells whether that counter in (top − 1,024, top] was seen. */
  readonly seen: Uint8Array;
}

/** Newest epoch first. Immutable: {@link markCounter} returns a new one. */
export interface WindowState {
  readonly epochs: readonly EpochWindow[];
}

/** The least counter a process may start with: unix seconds × 2^20. Exact until the year 2242. */
export function counterFloor(unixMs: number): number {
  return Math.floor(unixMs / 1000) * SEAL.countersPerSecond;
}

const epochOf = (counter: number) => Math.floor(counter / SEAL.countersPerSecond);

function has(seen: Uint8Array, counter: number): boolean {
  const bit = counter % SEAL.windowCounters;
  return (((seen[bit >> 3] as number) >> (bit & 7)) & 1) === 1;
}

function put(seen: Uint8Array, counter: number, value: boolean): void {
  const bit = counter % SEAL.windowCounters;
  const mask = 1 << (bit & 7);
  seen[bit >> 3] = value ? (seen[bit >> 3] as number) | mask : (seen[bit >> 3] as number) & ~mask;
}

export function emptyWindow(): WindowState {
  return { epochs: [] };
}

/** Whether a counter is new, was seen before, or is too old to tell (treat it as refused). */
export function checkCounter(state: WindowState, counter: number): 'new' | 'duplicate' | 'outside' {
  if (!Number.isSafeInteger(counter) || counter < 0) return 'outside';
  const epoch = epochOf(counter);
  const window = state.epochs.find(({ top }) => epochOf(top) === epoch);
  if (window === undefined) {
    const oldest = state.epochs[SEAL.windowEpochs - 1];
    return oldest === undefined || epoch > epochOf(oldest.top) ? 'new' : 'outside';
  }
  if (counter > window.top) return 'new';
  if (window.top - counter >= SEAL.windowCounters) return 'outside';
  return has(window.seen, counter) ? 'duplicate' : 'new';
}

function advance(window: EpochWindow, counter: number): EpochWindow {
  const seen = window.seen.slice();
  const passed = Math.min(counter - window.top, SEAL.windowCounters);
  for (let step = 0; step < passed; step++) put(seen, counter - step, false);
  put(seen, counter, true);
  return { top: Math.max(window.top, counter), seen };
}

/** The state in which this counter was seen; the same state when it is not `new`. */
export function markCounter(state: WindowState, counter: number): WindowState {
  if (checkCounter(state, counter) !== 'new') return state;
  const epoch = epochOf(counter);
  const known = state.epochs.find(({ top }) => epochOf(top) === epoch);
  const fresh = { top: counter, seen: new Uint8Array(BITMAP_BYTES) };
  const marked = advance(known ?? fresh, counter);
  const epochs = [...state.epochs.filter((window) => window !== known), marked];
  epochs.sort((a, b) => b.top - a.top);
  return { epochs: epochs.slice(0, SEAL.windowEpochs) };
}

/** At most 1,089 bytes: format 1, then per epoch `top` u64 BE ‖ 128 bytes of bits. */
export function encodeWindow(state: WindowState): Uint8Array {
  const bytes = new Uint8Array(1 + state.epochs.length * ENTRY_BYTES);
  const view = new DataView(bytes.buffer);
  bytes[0] = FORMAT;
  state.epochs.forEach(({ top, seen }, index) => {
    const at = 1 + index * ENTRY_BYTES;
    view.setBigUint64(at, BigInt(top));
    bytes.set(seen, at + 8);
  });
  return bytes;
}

/** @throws CountersignError `state_corrupt` for bytes {@link encodeWindow} never makes. */
export function decodeWindow(bytes: Uint8Array): WindowState {
  const count = (bytes.length - 1) / ENTRY_BYTES;
  if (bytes[0] !== FORMAT || !Number.isInteger(count) || count > SEAL.windowEpochs) throw corrupt();
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const epochs: EpochWindow[] = [];
  for (let index = 0; index < count; index++) {
    const at = 1 + index * ENTRY_BYTES;
    const window = { top: Number(view.getBigUint64(at)), seen: bytes.slice(at + 8, at + ENTRY_BYTES) };
    const newer = epochs.at(-1);
    const ordered = newer === undefined || epochOf(newer.top) > epochOf(window.top);
    if (!ordered || !Number.isSafeInteger(window.top) || !has(window.seen, window.top)) throw corrupt();
    epochs.push(window);
  }
  return { epochs };
}

function corrupt(): CountersignError {
  return new CountersignError('state_corrupt', 'A stored receive window cannot be read');
}
