/**
 * A view as messages of a chat, and a message as it looks once its item has ended (06 §1). Must not know how one is
 * posted, who may answer, or what a button is.
 */
import { CountersignError } from '../../frames/index.js';
import { linearise } from '../linearise.js';
import { shorten } from '../shorten.js';
import type { View } from '../view.js';
import { escapeToLine } from '../visible.js';
import type { Dialect, Limits } from './dialect.js';
import { beginning, pack } from './pack.js';
import { plain, type Span, sliceSpans, spansOf, textOf } from './span.js';

/** What a chat may offer below an item. */
export type ChatOffer = 'approve' | 'reject' | 'open_on_phone';

/** One message. */
export interface ChatChunk<M> {
  /** What it says of the view, without markup. The texts of all chunks, joined, are the text of the view. */
  readonly text: string;
  /** What a rebuilt message is made of: {@link rebuildChunk}. JSON, so that it can be kept. */
  readonly spans: readonly Span[];
  readonly message: M;
}

export interface ChatMessages<M> {
  /** In order, at least one; the buttons belong to the last. */
  readonly chunks: readonly ChatChunk<M>[];
  /** Nothing was cut, neither here nor by whoever made the view. Masked secrets do not count. */
  readonly whole: boolean;
  readonly offers: readonly ChatOffer[];
}

export interface ChatOptions<L> {
  /** In place of the platform's own; to leave room for something, or for tests. */
  readonly limits?: Partial<L> | undefined;
  /** More messages than this are too many for a chat; the rest is counted in the last. Default: as many as it takes. */
  readonly maxChunks?: number | undefined;
  /** The item was cut by its sender, though its view was not. */
  readonly truncated?: boolean | undefined;
}

/** A view of a live payload never needs more. */
const MAX_CHUNKS = 99_999;
const WHOLE: readonly ChatOffer[] = ['approve', 'reject', 'open_on_phone'];
const CUT: readonly ChatOffer[] = ['reject', 'open_on_phone'];
const NOTE_LIMIT = { maxCodePoints: 160, maxBytes: 640 };

/**
 * Take the view from `degradeView`; secrets in it are masked. What was cut can only be rejected here, or opened on a
 * phone.
 * @throws CountersignError `invalid_request` when the limits do not hold one character, or `maxChunks` is none.
 */
export function renderChat<M, L extends Limits>(
  dialect: Dialect<M, L>,
  view: View,
  options: ChatOptions<L> = {},
): ChatMessages<M> {
  const maxChunks = chunksAllowed(options.maxChunks);
  const tail = [plain(leftOut(Number.MAX_SAFE_INTEGER)), plain(part(MAX_CHUNKS, MAX_CHUNKS))];
  const packing = { limits: limitsOf(dialect, options.limits), maxChunks, tail };
  const { chunks, leftUnits } = pack(dialect, spansOf(linearise(view)), packing);
  if (leftUnits > 0 && options.maxChunks === undefined) throw tooMany();
  const whole = leftUnits === 0 && options.truncated !== true && !view.blocks.some((one) => one.truncated);
  return {
    chunks: chunks.map((spans, at) => {
      const note = at === chunks.length - 1 && leftUnits > 0 ? [plain(leftOut(leftUnits))] : [];
      const count = chunks.length > 1 ? [plain(part(at + 1, chunks.length))] : [];
      return chunkOf(dialect, spans, [...note, ...count]);
    }),
    whole,
    offers: whole ? WHOLE : CUT,
  };
}

/**
 * The message as it is after its item has ended: what became of it ("Approved by Ann"), then what was there, as much
 * of it as fits. Within the same limits, whatever the note holds.
 * @throws CountersignError `invalid_request` when the limits do not hold the note and one character.
 */
export function rebuildChunk<M, L extends Limits>(
  dialect: Dialect<M, L>,
  chunk: Pick<ChatChunk<M>, 'spans'>,
  note: string,
  options: Pick<ChatOptions<L>, 'limits'> = {},
): ChatChunk<M> {
  const limits = limitsOf(dialect, options.limits);
  const line = shorten(escapeToLine(note), NOTE_LIMIT);
  const head: Span[] = line === '' ? [] : [{ style: 'strong', text: line }, plain('\n')];
  const spans = [...head, ...chunk.spans];
  if (dialect.fits(dialect.write(spans), limits)) return chunkOf(dialect, spans, []);
  const tail = [plain(leftOut(Number.MAX_SAFE_INTEGER))];
  const kept = beginning(dialect, spans, { limits, maxChunks: 1, tail });
  if (textOf(kept).length <= textOf(head).length) throw noRoomForNote();
  return chunkOf(dialect, kept, [plain(leftOut(textOf(spans).length - textOf(kept).length))]);
}

function chunkOf<M, L extends Limits>(
  dialect: Dialect<M, L>,
  spans: readonly Span[],
  tail: readonly Span[],
): ChatChunk<M> {
  const text = textOf(spans);
  // A line break of the text itself does where the tail would begin with one.
  const own = spans.at(-1)?.style === 'plain' && text.endsWith('\n') ? 1 : 0;
  return {
    text,
    spans,
    message: dialect.write([...spans, ...sliceSpans(tail, own, Number.MAX_SAFE_INTEGER)]),
  };
}

function limitsOf<M, L extends Limits>(dialect: Dialect<M, L>, given: Partial<L> | undefined): L {
  return { ...dialect.limits, ...given };
}

function chunksAllowed(maxChunks: number = MAX_CHUNKS): number {
  if (Number.isSafeInteger(maxChunks) && maxChunks >= 1) return Math.min(maxChunks, MAX_CHUNKS);
  throw new CountersignError('invalid_request', 'A view needs at least one message.');
}

/** Also keeps blanks at the end of a message from being trimmed. */
function part(number: number, of: number): string {
  return `\n(${number}/${of})`;
}

function leftOut(units: number): string {
  return `\n⋯ ${units} characters left out: open on phone`;
}

function tooMany(): CountersignError {
  return new CountersignError('payload_too_large', 'A view needs more messages than a chat can count.', {
    details: { maxChunks: MAX_CHUNKS },
  });
}

function noRoomForNote(): CountersignError {
  return new CountersignError('invalid_request', 'The limits are too small for what became of the item.');
}
