/**
 * Content of Matrix events of type `m.room.message`. Must not know other chats.
 *
 * An event has up to 65,536 bytes as canonical JSON, with all that servers add to it; in an encrypted room its content
 * grows by a third. `m.mentions` without members turns mentions off, also those that servers would find in the text;
 * pills are links to matrix.to, and no link is written: what a client would make one is code.
 * Source: Matrix specification 1.7, client-server API, "Size limits", "m.room.message msgtypes", "User and room
 * mentions".
 */
import { utf8 } from '../../frames/index.js';
import type { Dialect } from './dialect.js';
import { fenced } from './fence.js';
import { escapeAttribute, escapeText } from './html.js';
import { piecesOf } from './quiet.js';
import type { Span } from './span.js';

export interface MatrixLimits {
  /** Of the content as JSON, UTF-8. */
  readonly maxContentBytes: number;
  readonly [name: string]: number;
}

export interface MatrixMessage {
  readonly msgtype: 'm.notice';
  /** Markdown, for clients that show no HTML. */
  readonly body: string;
  readonly format: 'org.matrix.custom.html';
  readonly formatted_body: string;
  readonly 'm.mentions': Readonly<Record<string, never>>;
}

const MAX_EVENT_BYTES = 65_536;
/** Ids, hashes, signatures, references to other events. */
const SERVER_BYTES = 8192;
/** Of a plaintext and its Base64. */
const ENCRYPTED_SHARE = 0.75;
const FENCE = /^(?:```|~~~)/;

export const matrix: Dialect<MatrixMessage, MatrixLimits> = {
  name: 'matrix',
  limits: { maxContentBytes: (MAX_EVENT_BYTES - SERVER_BYTES) * ENCRYPTED_SHARE },
  write: (spans) => ({
    msgtype: 'm.notice',
    body: spans.map((span, at) => markdown(span, spans[at - 1])).join(''),
    format: 'org.matrix.custom.html',
    formatted_body: spans.map((span, at) => html(span, spans[at - 1])).join(''),
    'm.mentions': {},
  }),
  fits: (content, { maxContentBytes }) => utf8(JSON.stringify(content)).length <= maxContentBytes,
  maxUnits: ({ maxContentBytes }) => maxContentBytes,
};

/** What begins a line and would open a fence gets a backslash. */
function markdown({ style, text, lang }: Span, before: Span | undefined): string {
  if (style === 'pre') return fenced(text, lang);
  const beginsLine = before === undefined || before.text.endsWith('\n');
  return beginsLine && FENCE.test(text) ? `\\${text}` : text;
}

function html({ style, text, lang }: Span, before: Span | undefined): string {
  if (style === 'plain') return lineBreaks(text, before?.style === 'pre');
  if (style === 'code') return `<code>${escapeText(text)}</code>`;
  if (style === 'pre') return `<pre>${codeTag(lang)}${escapeText(text)}</code></pre>`;
  return piecesOf(text)
    .map(({ text: piece, loud }) =>
      loud ? `<code>${escapeText(piece)}</code>` : `<strong>${escapeText(piece)}</strong>`,
    )
    .join('');
}

/** Never without `code`: a line break right after `pre` would be dropped (HTML, 13.1.2.5). */
function codeTag(lang: string | undefined): string {
  return lang === undefined ? '<code>' : `<code class="language-${escapeAttribute(lang)}">`;
}

/** After a box a line begins by itself. */
function lineBreaks(text: string, afterBox: boolean): string {
  const escaped = escapeText(text);
  if (afterBox && escaped.startsWith('\n')) return `\n${escaped.slice(1).replaceAll('\n', '<br>')}`;
  return escaped.replaceAll('\n', '<br>');
}
