import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { isReached, rowOf, saturatedPairs } from './report.js';
import { isSaturated, loadBetween } from './saturation.js';
import { figureOf, percentile, ratiosOf } from './statistics.js';
import { FrameReader, maskedFrame, OPCODE, serverFrameBytes } from './ws-frames.js';

const bytes = (length: number): Uint8Array => Uint8Array.from({ length }, (_, at) => at % 251);
const LENGTHS = [0, 1, 125, 126, 65_535, 65_536];

it('masks a frame as a client must', () => {
  const frame = maskedFrame(OPCODE.binary, Uint8Array.of(1, 2, 3, 4, 5), Uint8Array.of(9, 8, 7, 6));
  expect([...frame]).toEqual([0x82, 0x85, 9, 8, 7, 6, 1 ^ 9, 2 ^ 8, 3 ^ 7, 4 ^ 6, 5 ^ 9]);
});

it.each(LENGTHS)('states a length of %i in the shortest form', (length) => {
  const unmasked = maskedFrame(OPCODE.binary, bytes(length), new Uint8Array(4));
  expect(unmasked.length).toBe(serverFrameBytes(length) + 4);
});

it('reads what a server sends, in whatever pieces it comes', () => {
  fc.assert(
    fc.property(
      fc.array(fc.constantFrom(...LENGTHS), { maxLength: 4 }),
      fc.integer({ min: 1, max: 999 }),
      read,
    ),
    { numRuns: 30 },
  );
});

function read(lengths: number[], piece: number): void {
  const stream = Buffer.concat(lengths.map((length) => asServer(bytes(length))));
  const heard: [number, number][] = [];
  const reader = new FrameReader((opcode, payload) => heard.push([opcode, payload.length]));
  const step = stream.length > 2000 ? piece * 100 : piece;
  for (let at = 0; at < stream.length; at += step) reader.push(stream.subarray(at, at + step));
  expect(heard).toEqual(lengths.map((length) => [OPCODE.binary, length]));
}

/** A client's frame without its mask. */
function asServer(payload: Uint8Array): Buffer {
  const frame = maskedFrame(OPCODE.binary, payload, new Uint8Array(4));
  const head = frame.subarray(0, frame.length - payload.length - 4);
  head[1] = (head[1] as number) & 0x7f;
  return Buffer.concat([head, payload]);
}

it('takes percentiles by the nearest rank', () => {
  const values = Array.from({ length: 100 }, (_, at) => 100 - at);
  expect([0.01, 0.5, 0.99, 1].map((share) => percentile(values, share))).toEqual([1, 50, 99, 100]);
  expect(percentile([], 0.99)).toBeNaN();
});

it('gives the spread beside the median, and ratios pair by pair', () => {
  expect(figureOf([3, 1, 2])).toEqual({ median: 2, min: 1, max: 3 });
  expect(ratiosOf([2, 9], [4, 3])).toEqual([0.5, 3]);
});

const load = (cpuMs: number, waitedMs: number) =>
  loadBetween({ atMs: 0, cpuMs: 0, waitedMs: 0 }, { atMs: 1000, cpuMs, waitedMs });

it('calls a server idle that was so for more than a twentieth of the time', () => {
  expect([isSaturated(load(949, 0)), isSaturated(load(950, 0))]).toEqual([false, true]);
});

it('counts pairs of saturated servers only, and voids a figure that has no majority of them', () => {
  const [busy, idle] = [{ load: load(990, 0) }, { load: load(500, 0) }];
  expect(saturatedPairs([busy, idle, busy], [busy, busy, busy])).toEqual({
    ours: [busy, busy],
    others: [busy, busy],
  });
  expect(saturatedPairs([busy, busy], [busy, idle])).toMatchObject({ void: expect.stringContaining('50 %') });
});

it('does not blame a server for the time others had its core', () => {
  expect(isSaturated(load(400, 560))).toBe(true);
});

it('never counts a void figure as reached', () => {
  const measured = { what: '', unit: '', baseline: '', reach: { atLeast: 0.9 }, ours: [9], others: [10] };
  expect(isReached(rowOf(measured))).toBe(true);
  expect(isReached(rowOf({ ...measured, void: 'idle' }))).toBe(false);
  expect(isReached(rowOf({ ...measured, ours: [8] }))).toBe(false);
});
