/**
 * Neutral lines as one run of styled text: what every dialect cuts into messages and writes in its own markup. The
 * joined text of the spans is the whole text of a view. Must not know any platform.
 */
import type { Line } from '../linearise.js';
import { escapeInvisible } from '../visible.js';

/**
 * `plain` is our own words and never holds an argument's; `strong` is a summary or a row's name; `code` is a value on
 * one line, `pre` one of several lines or of code. All but `plain` are hostile.
 */
export type SpanStyle = 'plain' | 'strong' | 'code' | 'pre';

export interface Span {
  readonly style: SpanStyle;
  /** Hidden characters are visible in it. Never empty. */
  readonly text: string;
  /** Of `pre`: a name without markup. */
  readonly lang?: string | undefined;
}

/** In place of a row's name that has nothing to show. */
const NO_NAME = '""';
const LANG = /^[A-Za-z0-9_+#.-]{1,32}$/;

export function plain(text: string): Span {
  return { style: 'plain', text };
}

/** Summary, then a row for each further line, divided by line breaks. */
export function spansOf(lines: readonly Line[]): Span[] {
  const spans: Span[] = [];
  for (const span of lines.flatMap((line, at) => (at === 0 ? rowOf(line) : [plain('\n'), ...rowOf(line)]))) {
    const last = spans.at(-1);
    if (span.style !== 'plain' || last?.style !== 'plain') spans.push(span);
    else spans[spans.length - 1] = plain(last.text + span.text);
  }
  return spans;
}

/** What the spans say, without markup. */
export function textOf(spans: readonly Span[]): string {
  return spans.map(({ text }) => text).join('');
}

function rowOf(line: Line): Span[] {
  if (line.kind === 'text') return visible('strong', line.text);
  if (line.kind === 'pair') return named(line.key, cellOf(line.value));
  return named(line.label ?? '', under(line.text, line.lang));
}

function named(name: string, value: readonly Span[]): Span[] {
  return [...visible('strong', name.trim() === '' ? NO_NAME : name), plain(':'), ...value];
}

function cellOf(value: string): Span[] {
  if (value === '') return [];
  return value.includes('\n') ? under(value, undefined) : [plain(' '), ...visible('code', value)];
}

function under(text: string, lang: string | undefined): Span[] {
  const code = visible('pre', text).map((span) =>
    lang !== undefined && LANG.test(lang) ? { ...span, lang } : span,
  );
  return code.length === 0 ? code : [plain('\n'), ...code];
}

function visible(style: SpanStyle, text: string): Span[] {
  return text === '' ? [] : [{ style, text: escapeInvisible(text) }];
}

/** The part of the spans between two offsets in UTF-16 units of their joined text. */
export function sliceSpans(spans: readonly Span[], start: number, end: number): Span[] {
  const part: Span[] = [];
  let at = 0;
  for (const span of spans) {
    if (at >= end) break;
    const text = span.text.slice(Math.max(0, start - at), end - at);
    if (text !== '' && at + span.text.length > start) part.push({ ...span, text });
    at += span.text.length;
  }
  return part;
}
