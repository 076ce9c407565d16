/**
 * Divides spans among messages that a platform takes: nothing lost, nothing doubled. Must not know which platform.
 */
import { CountersignError } from '../../frames/index.js';
import { breakBefore } from './breaks.js';
import type { Dialect, Limits } from './dialect.js';
import { type Span, type SpanStyle, sliceSpans, textOf } from './span.js';

/** Characters that some platform counts or writes dearly: two units, four bytes, an entity, an escape. */
const DEAR = ['\u{1F600}', '&', '"', '`', '*'];
const STYLES: readonly SpanStyle[] = ['strong', 'code', 'pre'];
/** A language's name is no longer. */
const LONGEST_LANG = 'x'.repeat(32);

/** How much may be made of a view, and what stands at the end of every message of several. */
export interface Packing<L> {
  readonly limits: L;
  readonly maxChunks: number;
  readonly tail: readonly Span[];
}

export interface Packed {
  readonly chunks: readonly (readonly Span[])[];
  /** UTF-16 units of text that went into no chunk, because `maxChunks` were full. */
  readonly leftUnits: number;
}

/**
 * One chunk without the tail if that fits, else several that have room for it.
 * @throws CountersignError `invalid_request` at once when the limits do not hold one character with its markup.
 */
export function pack<M, L extends Limits>(
  dialect: Dialect<M, L>,
  spans: readonly Span[],
  packing: Packing<L>,
): Packed {
  requireRoom(dialect, packing);
  if (fits(dialect, spans, packing.limits)) return { chunks: [spans], leftUnits: 0 };
  const text = textOf(spans);
  const chunks: Span[][] = [];
  let start = 0;
  while (start < text.length && chunks.length < packing.maxChunks) {
    const end = endOfChunk(dialect, { spans, text, start }, packing);
    chunks.push(sliceSpans(spans, start, end));
    start = end;
  }
  return { chunks, leftUnits: text.length - start };
}

/** The longest beginning of the spans that fits with the tail, for a message that is rebuilt. */
export function beginning<M, L extends Limits>(
  dialect: Dialect<M, L>,
  spans: readonly Span[],
  packing: Packing<L>,
): Span[] {
  return sliceSpans(spans, 0, endOfChunk(dialect, { spans, text: textOf(spans), start: 0 }, packing));
}

interface Rest {
  readonly spans: readonly Span[];
  readonly text: string;
  readonly start: number;
}

function endOfChunk<M, L extends Limits>(
  dialect: Dialect<M, L>,
  rest: Rest,
  { limits, tail }: Packing<L>,
): number {
  const { spans, text, start } = rest;
  const room = (end: number) => fits(dialect, [...sliceSpans(spans, start, end), ...tail], limits);
  let enough = start;
  let tooMuch = Math.min(text.length, start + dialect.maxUnits(limits)) + 1;
  while (tooMuch - enough > 1) {
    const half = Math.floor((enough + tooMuch) / 2);
    if (room(half)) enough = half;
    else tooMuch = half;
  }
  const end = breakBefore(text, start, enough);
  if (end <= start) throw tooSmall(dialect);
  return end;
}

function requireRoom<M, L extends Limits>(dialect: Dialect<M, L>, { limits, tail }: Packing<L>): void {
  const dearest = STYLES.flatMap((style) => DEAR.map((text): Span => ({ style, text, lang: LONGEST_LANG })));
  if (!dearest.every((span) => fits(dialect, [span, ...tail], limits))) throw tooSmall(dialect);
}

function fits<M, L extends Limits>(dialect: Dialect<M, L>, spans: readonly Span[], limits: L): boolean {
  return dialect.fits(dialect.write(spans), limits);
}

function tooSmall({ name }: { readonly name: string }): CountersignError {
  return new CountersignError('invalid_request', `The limits of ${name} are too small for one character.`, {
    details: { dialect: name },
  });
}
