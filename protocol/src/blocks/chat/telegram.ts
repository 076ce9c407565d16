/**
 * Messages of Telegram's Bot API, as HTML and as text with entities. Must not know other chats.
 *
 * A message has up to 4,096 UTF-16 units after its markup is read, and up to 100 entities: the server drops what is
 * more, and with it the protection of what it marked. Blanks at the end of a message are trimmed. Nothing may be
 * nested in `code` and `pre`, and there nothing is turned into a mention, a command or a link; so every value is one
 * of them, and so is every word of a name or summary that Telegram would make something of.
 * Source: core.telegram.org/bots/api, "sendMessage", "Formatting options", "MessageEntity"; limits of entities and
 * markup as in TDLib.
 */
import { utf8 } from '../../frames/index.js';
import type { Dialect } from './dialect.js';
import { escapeAttribute, escapeText } from './html.js';
import { piecesOf } from './quiet.js';
import type { Span } from './span.js';

export interface TelegramLimits {
  /** Of text, UTF-16 units, markup not counted. */
  readonly maxUnits: number;
  readonly maxEntities: number;
  /** Of HTML with its tags, UTF-8. */
  readonly maxMarkupBytes: number;
  readonly [name: string]: number;
}

const LIMITS: TelegramLimits = { maxUnits: 4096, maxEntities: 100, maxMarkupBytes: 32_768 };

/** Offsets and lengths in UTF-16 units. */
export interface TelegramEntity {
  readonly type: 'bold' | 'code' | 'pre';
  readonly offset: number;
  readonly length: number;
  readonly language?: string;
}

export interface TelegramEntitiesMessage {
  readonly text: string;
  readonly entities: readonly TelegramEntity[];
  readonly link_preview_options: { readonly is_disabled: true };
}

export interface TelegramHtmlMessage {
  readonly text: string;
  readonly parse_mode: 'HTML';
  readonly link_preview_options: { readonly is_disabled: true };
}

const NO_PREVIEW = { is_disabled: true } as const;

export const telegramEntities: Dialect<TelegramEntitiesMessage, TelegramLimits> = {
  name: 'telegramEntities',
  limits: LIMITS,
  write(spans) {
    const marked = markedOf(spans);
    return {
      text: marked.map(({ text }) => text).join(''),
      entities: entitiesOf(marked),
      link_preview_options: NO_PREVIEW,
    };
  },
  fits: ({ text, entities }, limits) =>
    text.length <= limits.maxUnits && entities.length <= limits.maxEntities,
  maxUnits: ({ maxUnits }) => maxUnits,
};

export const telegramHtml: Dialect<TelegramHtmlMessage, TelegramLimits> = {
  name: 'telegramHtml',
  limits: LIMITS,
  write: (spans) => ({
    text: markedOf(spans).map(tagged).join(''),
    parse_mode: 'HTML',
    link_preview_options: NO_PREVIEW,
  }),
  fits: ({ text }, limits) =>
    unitsOf(text) <= limits.maxUnits &&
    (text.match(MARK)?.length ?? 0) <= limits.maxEntities &&
    utf8(text).length <= limits.maxMarkupBytes,
  maxUnits: ({ maxUnits }) => maxUnits,
};

/** A tag that begins an entity; `code` inside `pre` only names its language. */
const MARK = /<b>|<code>|<pre>/g;

/** Our HTML as Telegram counts it: without tags, each escape one character. */
function unitsOf(html: string): number {
  return html.replace(/<[^>]*>/g, '').replace(/&[a-z]+;/g, '&').length;
}

interface Marked {
  readonly type: TelegramEntity['type'] | undefined;
  readonly text: string;
  readonly lang?: string | undefined;
}

function markedOf(spans: readonly Span[]): Marked[] {
  return spans.flatMap((span): Marked[] => {
    if (span.style === 'plain') return [{ type: undefined, text: span.text }];
    if (span.style === 'pre') return [{ type: 'pre', text: span.text, lang: span.lang }];
    if (span.style === 'code') return [{ type: 'code', text: span.text }];
    return piecesOf(span.text).map(({ text, loud }) => ({ type: loud ? 'code' : 'bold', text }));
  });
}

function entitiesOf(marked: readonly Marked[]): TelegramEntity[] {
  const entities: TelegramEntity[] = [];
  let offset = 0;
  for (const { type, text, lang } of marked) {
    const language = lang === undefined ? {} : { language: lang };
    if (type !== undefined) entities.push({ type, offset, length: text.length, ...language });
    offset += text.length;
  }
  return entities;
}

function tagged({ type, text, lang }: Marked): string {
  const escaped = escapeText(text);
  if (type === 'bold') return `<b>${escaped}</b>`;
  if (type === 'code') return `<code>${escaped}</code>`;
  if (type === undefined) return escaped;
  if (lang === undefined) return `<pre>${escaped}</pre>`;
  return `<pre><code class="language-${escapeAttribute(lang)}">${escaped}</code></pre>`;
}
