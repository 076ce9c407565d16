/**
 * Lays the pieces of a summary out on one line within the limits of 03 §2: masked, escaped, cut where it hurts
 * least. Must not know tools.
 */
import { CONTENT, utf8 } from '@countersign/protocol';
import { codePoints, escapeToLine, shorten, summaryLine, toWellFormed } from '@countersign/protocol/blocks';
import type { SummaryPart } from './describer.js';
import { shareOut } from './share-out.js';

const ELLIPSIS = '…';
/** A piece is looked at no further than this from either end: more never fits. */
const MAX_PIECE_UNITS = 4 * CONTENT.maxSummaryBytes;
/** A run of blanks longer than this is counted out instead: what follows it must not leave the screen. */
const LONG_BLANKS = /[ \t\u00A0\u202F\u3000]{4,}/g;

const VISIBLE_FORM = /^⟨U\+[0-9A-F]{4,6}⟩$/;
const PIECES = /⟨U\+[0-9A-F]{4,6}⟩|[^⟨]+|⟨/g;

const clusters = new Intl.Segmenter(undefined, { granularity: 'grapheme' });

/** The line, or an empty one when the pieces hold nothing. Never throws. */
export function layOut(given: string | readonly SummaryPart[], mask: (text: string) => string): string {
  const parts = typeof given === 'string' ? [{ text: given, cut: 'end' as const }] : given;
  const pieces = parts.map((part) =>
    typeof part === 'string'
      ? { text: oneLine(mask(toWellFormed(part))), cut: 'never' as const }
      : pieceOf(part, mask),
  );
  const fixed = pieces
    .filter(({ cut }) => cut === 'never')
    .reduce((sum, { text }) => sum + codePoints(text), 0);
  const rooms = shareOut(
    CONTENT.maxSummaryCodePoints - fixed,
    pieces.map(({ text, cut }) => (cut === 'never' ? 0 : codePoints(text))),
  );
  return summaryLine(pieces.map(({ text, cut }, at) => cutTo(text, cut, rooms[at] ?? 0)).join(''));
}

function pieceOf(part: Exclude<SummaryPart, string>, mask: (text: string) => string) {
  return { text: oneLine(ends(mask(toWellFormed(part.text)))), cut: part.cut };
}

/** Long texts lose their middle before they are escaped. */
function ends(text: string): string {
  if (text.length <= 2 * MAX_PIECE_UNITS) return text;
  return toWellFormed(`${text.slice(0, MAX_PIECE_UNITS)}${ELLIPSIS}${text.slice(-MAX_PIECE_UNITS)}`);
}

/** Blanks at both ends stay: pieces are joined. */
function oneLine(text: string): string {
  const visibleBlanks = text.replace(LONG_BLANKS, (run) => ` ⟨${run.length} blanks⟩ `);
  return /[^ -~]/.test(visibleBlanks) ? escapeToLine(`|${visibleBlanks}|`).slice(1, -1) : visibleBlanks;
}

function cutTo(text: string, cut: 'never' | 'middle' | 'end', maxCodePoints: number): string {
  if (cut === 'never' || codePoints(text) <= maxCodePoints) return text;
  if (maxCodePoints < 1) return '';
  if (cut === 'end' || maxCodePoints < 8) {
    return shorten(text, { maxCodePoints, maxBytes: CONTENT.maxSummaryBytes });
  }
  return cutMiddle(text, maxCodePoints);
}

/** Both ends with `…` between them, cut between grapheme clusters; the end gets the larger half. */
export function cutMiddle(text: string, maxCodePoints: number): string {
  const tailPoints = Math.ceil((maxCodePoints - 1) / 2);
  // Printable ASCII needs no segmenter.
  if (!/[^ -~]/.test(text))
    return `${text.slice(0, maxCodePoints - 1 - tailPoints)}${ELLIPSIS}${text.slice(-tailPoints)}`;
  const tail = takeWithin(clustersOf(text.slice(-windowOf(tailPoints))).reverse(), tailPoints).reverse();
  const headPoints = maxCodePoints - 1 - codePoints(tail.join(''));
  const head = takeWithin(clustersOf(text.slice(0, windowOf(headPoints))), headPoints);
  return toWellFormed(`${head.join('')}${ELLIPSIS}${tail.join('')}`);
}

/** More units than so many code points take: a segmenter is slow on long texts. */
function windowOf(points: number): number {
  return 4 * points + 4;
}

/** What must stay whole: grapheme clusters, and the visible form of a hidden character. */
function clustersOf(text: string): string[] {
  return (text.match(PIECES) ?? []).flatMap((piece) =>
    VISIBLE_FORM.test(piece) ? [piece] : [...clusters.segment(piece)].map(({ segment }) => segment),
  );
}

function takeWithin(units: readonly string[], maxCodePoints: number): string[] {
  const taken: string[] = [];
  let points = 0;
  let bytes = 0;
  for (const unit of units) {
    points += codePoints(unit);
    bytes += utf8(unit).length;
    if (points > maxCodePoints || bytes > CONTENT.maxSummaryBytes / 2) break;
    taken.push(unit);
  }
  return taken;
}
