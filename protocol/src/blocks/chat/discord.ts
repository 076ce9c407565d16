/**
 * Messages of Discord's "Create Message". Must not know other chats.
 *
 * The content has up to 2,000 characters, counted as code points. A backslash makes any ASCII punctuation literal, so
 * names and values on one line are escaped and code is fenced. A fence has three backticks, never more, and ends at
 * the next three; code with such a run is therefore divided into fences inside the run. A fence must hold more than
 * line breaks. Mentions are off by `allowed_mentions`, whatever the text says; previews of links too.
 * Source: discord.com/developers, "Create Message", "Allowed Mentions Object"; discord/discord-api-docs issue 1315;
 * the published rules of Discord's Markdown (simple-markdown).
 */
import { codePoints } from '../shorten.js';
import type { Dialect } from './dialect.js';
import type { Span } from './span.js';

export interface DiscordLimits {
  readonly maxCodePoints: number;
  readonly [name: string]: number;
}

export interface DiscordMessage {
  readonly content: string;
  readonly allowed_mentions: { readonly parse: readonly [] };
  /** SUPPRESS_EMBEDS. */
  readonly flags: 4;
}

export const discord: Dialect<DiscordMessage, DiscordLimits> = {
  name: 'discord',
  limits: { maxCodePoints: 2000 },
  write: (spans) => ({
    content: spans.map(marked).join(''),
    allowed_mentions: { parse: [] },
    flags: 4,
  }),
  fits: ({ content }, { maxCodePoints }) => codePoints(content) <= maxCodePoints,
  // Of a code point at most two units.
  maxUnits: ({ maxCodePoints }) => 2 * maxCodePoints,
};

const FENCE = '```';
/** Discord knows other names too, but takes these for a language in all its clients. */
const LANG = /^[a-z0-9_-]+$/i;

function marked({ style, text, lang }: Span): string {
  if (style === 'plain') return text;
  if (style === 'strong') return `**${escaped(text)}**`;
  if (style === 'code') return escaped(text);
  if (/^\n*$/.test(text)) return text;
  const name = lang !== undefined && LANG.test(lang) ? lang : '';
  return withoutFences(text)
    .map((code) => `${FENCE}${name}\n${code}\n${FENCE}`)
    .join('\n');
}

function escaped(text: string): string {
  return text.replace(/[!-/:-@[-`{-~]/g, '\\$&');
}

/** The code divided so that no part has three backticks in a row. */
function withoutFences(code: string): string[] {
  const parts: string[] = [];
  let from = 0;
  for (const { index } of code.matchAll(/``(?=`)/g)) {
    parts.push(code.slice(from, index + 2));
    from = index + 2;
  }
  return [...parts, code.slice(from)];
}
