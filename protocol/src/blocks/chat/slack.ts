/**
 * Messages of Slack's chat.postMessage in Block Kit. Must not know other chats.
 *
 * Text goes into `rich_text`, whose text elements are shown literally: Slack's `mrkdwn` has no escape for `*`, `_` or
 * a backtick, and no longer fence. Mentions, links and emoji are elements of their own there, and none is written.
 * Only the top-level `text`, which notifications show, is control text and escapes `&`, `<` and `>`.
 * What `rich_text` may hold is not published. A message's blocks were measured to fail from about 13,000 characters
 * of JSON on; a text object of a section has 3,000. Both are kept, counted with escapes, with room for buttons.
 * Source: docs.slack.dev, "Rich text block", "Formatting message text", "chat.postMessage"; slackapi/bolt-js issues
 * 2509 and 2867.
 */
import type { Dialect } from './dialect.js';
import { escapeText } from './html.js';
import { type Span, textOf } from './span.js';

export interface SlackLimits {
  /** Of one text element, UTF-16 units. */
  readonly maxTextUnits: number;
  /** Of the message, less two for buttons and a footer. */
  readonly maxBlocks: number;
  /** Of all blocks as JSON, UTF-16 units, escapes counted. */
  readonly maxBlocksUnits: number;
  readonly [name: string]: number;
}

interface SlackText {
  readonly type: 'text';
  readonly text: string;
  readonly style?: { readonly bold: true } | { readonly code: true };
}

export interface SlackElement {
  readonly type: 'rich_text_section' | 'rich_text_preformatted';
  readonly elements: readonly SlackText[];
  readonly language?: string;
}

export interface SlackBlock {
  readonly type: 'rich_text';
  readonly elements: readonly SlackElement[];
}

export interface SlackMessage {
  /** What a notification shows. */
  readonly text: string;
  readonly blocks: readonly SlackBlock[];
  readonly mrkdwn: false;
  readonly parse: 'none';
  readonly link_names: false;
  readonly unfurl_links: false;
  readonly unfurl_media: false;
}

const SILENT = {
  mrkdwn: false,
  parse: 'none',
  link_names: false,
  unfurl_links: false,
  unfurl_media: false,
} as const;
const MAX_TEXT_UNITS = 3000;
const PIECE = new RegExp(`[\\s\\S]{1,${MAX_TEXT_UNITS / 2}}`, 'gu');
/** The beginning of a message is enough for a notification. */
const FALLBACK = /^.{1,150}/u;

export const slackBlocks: Dialect<SlackMessage, SlackLimits> = {
  name: 'slackBlocks',
  limits: { maxTextUnits: MAX_TEXT_UNITS, maxBlocks: 48, maxBlocksUnits: 11_000 },
  write: (spans) => ({
    text: fallbackOf(spans),
    blocks: [{ type: 'rich_text', elements: elementsOf(spans) }],
    ...SILENT,
  }),
  fits: ({ blocks }, limits) =>
    blocks.length <= limits.maxBlocks &&
    blocks.every(({ elements }) => elements.every((one) => textsFit(one, limits))) &&
    escapeText(JSON.stringify(blocks)).length <= limits.maxBlocksUnits,
  maxUnits: ({ maxBlocksUnits }) => maxBlocksUnits,
};

function textsFit({ elements }: SlackElement, { maxTextUnits }: SlackLimits): boolean {
  return elements.every(({ text }) => text.length <= maxTextUnits);
}

function fallbackOf(spans: readonly Span[]): string {
  return escapeText(FALLBACK.exec(textOf(spans).trim())?.[0] ?? '');
}

/** A line break beside a preformatted box is the box itself. */
function elementsOf(spans: readonly Span[]): SlackElement[] {
  const elements: SlackElement[] = [];
  let section: SlackText[] = [];
  const endSection = () => {
    if (section.length > 0) elements.push({ type: 'rich_text_section', elements: section });
    section = [];
  };
  spans.forEach((span, at) => {
    if (span.style === 'pre') {
      endSection();
      elements.push(preformatted(span));
    } else section.push(...textsOf(span, besideBox(span, spans[at - 1], spans[at + 1])));
  });
  endSection();
  return elements;
}

function besideBox({ style, text }: Span, before: Span | undefined, after: Span | undefined): string {
  if (style !== 'plain') return text;
  const rest = before?.style === 'pre' ? text.replace(/^\n/, '') : text;
  return after?.style === 'pre' ? rest.replace(/\n$/, '') : rest;
}

function preformatted({ text, lang }: Span): SlackElement {
  const elements = piecesOf(text).map((piece) => ({ type: 'text' as const, text: piece }));
  const language = lang === undefined ? {} : { language: lang };
  return { type: 'rich_text_preformatted', elements, ...language };
}

function textsOf({ style }: Span, text: string): SlackText[] {
  const look =
    style === 'strong'
      ? { style: { bold: true } as const }
      : style === 'code'
        ? { style: { code: true } as const }
        : {};
  return piecesOf(text).map((piece) => ({ type: 'text', text: piece, ...look }));
}

/** The text in pieces that a text element holds, no character divided: a code point has at most two units. */
function piecesOf(text: string): string[] {
  return text.match(PIECE) ?? [];
}
