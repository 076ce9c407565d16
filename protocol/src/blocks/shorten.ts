/**
 * Cuts text to a limit without breaking what a person sees as one character. Must not know what a text is for,
 * beyond the two lengths 03 §2 names.
 */
import { CONTENT, CountersignError, utf8 } from '../frames/index.js';
import { escapeToLine } from './visible.js';

export interface TextLimit {
  /** Unicode code points, not UTF-16 units. */
  maxCodePoints: number;
  /** Bytes of UTF-8. */
  maxBytes: number;
}

const ELLIPSIS = '…';
const ELLIPSIS_BYTES = 3;

const SUMMARY_LIMIT: TextLimit = {
  maxCodePoints: CONTENT.maxSummaryCodePoints,
  maxBytes: CONTENT.maxSummaryBytes,
};
const TITLE_LIMIT: TextLimit = { maxCodePoints: CONTENT.maxTitleCodePoints, maxBytes: CONTENT.maxTitleBytes };

/** Of printable ASCII a character is one unit, one code point, one byte and one cluster. */
const BEYOND_ASCII = /[^ -~]/;

const clusters = new Intl.Segmenter(undefined, { granularity: 'grapheme' });

/** Unicode code points of a text; a lone surrogate counts as one. */
export function codePoints(text: string): number {
  let count = text.length;
  // A pair of surrogates is one.
  for (const _ of text.match(/[\uD800-\uDBFF][\uDC00-\uDFFF]/g) ?? []) count--;
  return count;
}

/** Whether a text is within both numbers of a limit. */
export function fits(text: string, limit: TextLimit): boolean {
  // A unit takes at most three bytes, a code point at least one unit: settles short texts at once.
  if (text.length <= limit.maxCodePoints && 3 * text.length <= limit.maxBytes) return true;
  // No code point is longer than two units, and no unit shorter than one byte: settles long texts at once.
  if (text.length > limit.maxCodePoints * 2 || text.length > limit.maxBytes) return false;
  if (!BEYOND_ASCII.test(text)) return text.length <= Math.min(limit.maxCodePoints, limit.maxBytes);
  return codePoints(text) <= limit.maxCodePoints && utf8(text).length <= limit.maxBytes;
}

/**
 * The text itself when it fits, else its beginning, cut between grapheme clusters (UAX #29), and `…`, both together
 * within the limit. A first cluster that is larger than the limit leaves `…` alone.
 * @throws CountersignError `invalid_request` when the limit has no room for `…`.
 */
export function shorten(text: string, limit: TextLimit): string {
  if (!(limit.maxCodePoints >= 1 && limit.maxBytes >= ELLIPSIS_BYTES)) {
    throw new CountersignError('invalid_request', 'A text cannot be shortened to less than one character.');
  }
  if (fits(text, limit)) return text;
  const room = { maxCodePoints: limit.maxCodePoints - 1, maxBytes: limit.maxBytes - ELLIPSIS_BYTES };
  return text.slice(0, endWithin(text, room)) + ELLIPSIS;
}

/** UTF-16 offset of the last cluster boundary within `room`. */
function endWithin(text: string, room: TextLimit): number {
  let points = 0;
  let bytes = 0;
  // Twice as many code points as there is room for: the loop ends inside. A segmenter is slow on long texts.
  const window = text.slice(0, 4 * room.maxCodePoints + 4);
  if (!BEYOND_ASCII.test(window)) return Math.min(window.length, room.maxCodePoints, room.maxBytes);
  for (const { index, segment } of clusters.segment(window)) {
    points += codePoints(segment);
    bytes += utf8(segment).length;
    if (points > room.maxCodePoints || bytes > room.maxBytes) return index;
  }
  return window.length;
}

/** A summary as 03 §2 wants it: one line, escaped, at most 120 code points and 480 bytes. */
export function summaryLine(text: string): string {
  return shorten(escapeToLine(text), SUMMARY_LIMIT);
}

/** A title or label as 03 §2 wants it: one line, escaped, at most 64 code points and 256 bytes. */
export function titleLine(text: string): string {
  return shorten(escapeToLine(text), TITLE_LIMIT);
}

/** Whether a text may be sent as a summary just as it is. */
export function isSummaryLine(text: string): boolean {
  return fits(text, SUMMARY_LIMIT) && escapeToLine(text) === text;
}

/** Whether a text may be sent as a title just as it is. */
export function isTitleLine(text: string): boolean {
  return fits(text, TITLE_LIMIT) && escapeToLine(text) === text;
}
