/** The rules of 06 §1 for every chat, each over generated views. */
import { CountersignError } from '@countersign/protocol';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { linearise } from '../linearise.js';
import { codePoints } from '../shorten.js';
import type { View } from '../view.js';
import { escapeInvisible, isWellFormed } from '../visible.js';
import { hostileText, hostileView } from './hostile.fixtures.js';
import {
  type ChatChunk,
  type Dialect,
  discord,
  type Limits,
  matrix,
  plainText,
  rebuildChunk,
  renderChat,
  type Span,
  slackBlocks,
  spansOf,
  telegramEntities,
  telegramHtml,
  textOf,
} from './index.js';
import {
  readDiscord,
  readMatrix,
  readPlain,
  readSlack,
  readTelegramEntities,
  readTelegramHtml,
  type Shown,
  shownText,
} from './read-back.fixtures.js';

/** One way of writing, with how its platform counts and what it shows, told independently of it. */
interface Case {
  readonly dialect: Dialect<never>;
  readonly read: (message: never) => Shown[];
  /** How much of its limit a message takes, by the platform's own way of counting. */
  readonly size: (message: never) => number;
  readonly limit: string;
  readonly most: number;
  /** Enough for a few messages of a generated view. */
  readonly few: number;
}

const bytes = (value: unknown): number => Buffer.byteLength(JSON.stringify(value));
const dialectCase = <M, L extends Limits>(
  dialect: Dialect<M, L>,
  read: (message: M) => Shown[],
  size: (message: M) => number,
  rest: Pick<Case, 'limit' | 'most' | 'few'>,
): Case => ({ dialect, read, size, ...rest }) as unknown as Case;

const CASES: readonly Case[] = [
  dialectCase(plainText, readPlain, ({ text }) => text.length, {
    limit: 'maxUnits',
    most: 2 ** 53,
    few: 160,
  }),
  dialectCase(telegramHtml, readTelegramHtml, (message) => shownText(readTelegramHtml(message)).length, {
    limit: 'maxUnits',
    most: 4096,
    few: 140,
  }),
  dialectCase(telegramEntities, readTelegramEntities, ({ text }) => text.length, {
    limit: 'maxUnits',
    most: 4096,
    few: 140,
  }),
  dialectCase(slackBlocks, readSlack, ({ blocks }) => JSON.stringify(blocks).length, {
    limit: 'maxBlocksUnits',
    most: 13_000,
    few: 900,
  }),
  dialectCase(discord, readDiscord, ({ content }) => codePoints(content), {
    limit: 'maxCodePoints',
    most: 2000,
    few: 220,
  }),
  dialectCase(matrix, readMatrix, bytes, { limit: 'maxContentBytes', most: 65_536, few: 900 }),
];

const RUNS = { numRuns: 30 };

function chunksOf(one: Case, view: View, limit: number = one.few): readonly ChatChunk<never>[] {
  return renderChat(one.dialect, view, { limits: { [one.limit]: limit } }).chunks;
}

/** Every text a platform shows or reads aloud. */
function textsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsIn) : [];
}

/** Whether the platform shows the text of the view, and behind it nothing but a note. */
function showsOnly(one: Case, chunk: ChatChunk<never>): boolean {
  const shown = shownText(one.read(chunk.message));
  const text = one.dialect.name === 'plain' && chunk.spans[0]?.style === 'pre' ? shown.slice(4) : shown;
  const note = text.slice(chunk.text.length);
  return (
    text.startsWith(chunk.text) &&
    /^(?:\n?⋯ \d+ characters left out: open on phone)?(?:\n?\(\d+\/\d+\))?$/.test(note)
  );
}

const wholeText = (view: View): string => textOf(spansOf(linearise(view)));

describe.each(CASES)('$dialect.name', (one) => {
  it('keeps every message well-formed and within its limit, counted as the platform counts', () => {
    fc.assert(
      fc.property(hostileView, fc.integer({ min: one.few, max: 4 * one.few }), (view, limit) => {
        for (const { message, text } of chunksOf(one, view, limit)) {
          expect(one.size(message)).toBeLessThanOrEqual(limit);
          expect(isWellFormed(text)).toBe(true);
          expect(textsIn(message).every(isWellFormed)).toBe(true);
        }
      }),
      RUNS,
    );
    expect(one.dialect.limits[one.limit]).toBeLessThanOrEqual(one.most);
  });

  it('gives the whole text back, nothing lost and nothing doubled', () => {
    fc.assert(
      fc.property(hostileView, (view) => {
        const chunks = chunksOf(one, view);
        expect(chunks.map(({ text }) => text).join('')).toBe(wholeText(view));
        for (const chunk of chunks) expect(showsOnly(one, chunk)).toBe(true);
      }),
      RUNS,
    );
  });

  it('gives code back byte for byte, its boxes closed in every message and their language repeated', () => {
    if (one.dialect.name === 'plain') return;
    fc.assert(
      fc.property(hostileView, (view) => {
        for (const { message, spans } of chunksOf(one, view)) {
          const boxes = spans.filter(({ style, text }) => style === 'pre' && !isBareOn(one, text));
          const shown = one.read(message).filter(({ style }) => style === 'pre');
          expect(shown.map(({ text }) => text)).toEqual(boxes.map(({ text }) => text));
          expect(shown.map(({ lang }) => lang)).toEqual(boxes.map((span) => langOn(one, span)));
        }
      }),
      RUNS,
    );
  });

  it('refuses limits that do not hold one character with its wrapping, at once', () => {
    fc.assert(
      fc.property(hostileView, fc.integer({ min: -1, max: one.few }), (view, limit) => {
        try {
          expect(
            chunksOf(one, view, limit)
              .map(({ text }) => text)
              .join(''),
          ).toBe(wholeText(view));
        } catch (error) {
          expect(error).toBeInstanceOf(CountersignError);
          expect(error).toMatchObject({ code: 'invalid_request', details: { dialect: one.dialect.name } });
        }
      }),
      RUNS,
    );
    const view: View = { v: 1, summary: 's', blocks: [{ type: 'field', label: 'a', value: 'b' }] };
    for (const limit of [0, 1, 7, Number.NaN])
      expect(() => chunksOf(one, view, limit)).toThrow(CountersignError);
  });

  it('lets nothing in a view open or close markup, mention anybody or hide', () => {
    fc.assert(
      fc.property(hostileView, (view) => {
        for (const { message, spans } of chunksOf(one, view)) {
          for (const text of textsIn(message)) expect(escapeInvisible(text)).toBe(text);
          expect(mentionsIn(one, message)).toEqual([]);
          // Names and values are all that is marked: no argument marks anything, or unmarks itself.
          if (one.dialect.name === 'plain') continue;
          const styles = one.dialect.name === 'discord' ? ['strong'] : ['strong', 'code'];
          const marked = one.read(message).filter(({ style }) => styles.includes(style));
          expect(shownText(marked)).toBe(textOf(spans.filter(({ style }) => styles.includes(style))));
        }
      }),
      RUNS,
    );
  });

  it('keeps a message that is rebuilt within the same limit, and says what became of the item', () => {
    fc.assert(
      fc.property(hostileView, hostileText, (view, note) => {
        const limits = { [one.limit]: 2 * one.few };
        for (const chunk of chunksOf(one, view, 2 * one.few)) {
          const { message, text } = rebuildChunk(one.dialect, chunk, `Approved by ${note}`.slice(0, 40), {
            limits,
          });
          expect(one.size(message)).toBeLessThanOrEqual(2 * one.few);
          expect(text).toMatch(/^Approved by/);
          expect(isWellFormed(text)).toBe(true);
          for (const shown of textsIn(message)) expect(escapeInvisible(shown)).toBe(shown);
        }
      }),
      RUNS,
    );
  });

  it('offers an approval only for what it shows whole', () => {
    fc.assert(
      fc.property(hostileView, fc.integer({ min: 1, max: 3 }), (view, maxChunks) => {
        const limits = { [one.limit]: one.few };
        const needed = chunksOf(one, view).length;
        const { chunks, whole, offers } = renderChat(one.dialect, view, { limits, maxChunks });
        expect(chunks.length).toBeLessThanOrEqual(maxChunks);
        expect(whole).toBe(needed <= maxChunks);
        expect(offers).toEqual(whole ? ['approve', 'reject', 'open_on_phone'] : ['reject', 'open_on_phone']);
        expect(wholeText(view).startsWith(chunks.map(({ text }) => text).join(''))).toBe(true);
      }),
      RUNS,
    );
  });

  it('writes the largest view there may be in a moment', () => {
    const value = 'The quick brown fox `jumps` over @everyone.\n'.repeat(3000);
    const view: View = {
      v: 1,
      summary: 'Large',
      blocks: [{ type: 'block', label: 'Body', value, value_type: 'code', lang: 'ts' }],
    };
    const began = performance.now();
    const { chunks } = renderChat(one.dialect, view);
    expect(performance.now() - began).toBeLessThan(2500);
    expect(chunks.map(({ text }) => text).join('')).toBe(wholeText(view));
  });
});

/** Discord knows no box of nothing but line breaks. */
function isBareOn(one: Case, text: string): boolean {
  return one.dialect.name === 'discord' && /^\n+$/.test(text);
}

/** Discord takes fewer names for languages. */
function langOn(one: Case, { lang }: Span): string | undefined {
  return one.dialect.name === 'discord' && lang === 'c++' ? undefined : lang;
}

/** What a platform would make of a message's texts by itself. */
function mentionsIn(one: Case, message: object): string[] {
  if (one.dialect.name.startsWith('telegram')) {
    const open = one.read(message as never).filter(({ style }) => style !== 'code' && style !== 'pre');
    // As TDLib finds them: a mention, a command, a tag, a cash tag, a link, each outside of code.
    const made = /(?<![\p{L}\p{N}_])(?:@\w{2,32}|\/\w{1,64}|#[\p{L}_]+|\$[A-Z]{1,8})|:\/\//u;
    return open.map(({ text }) => text).filter((text) => made.test(text));
  }
  if (one.dialect.name === 'slackBlocks') {
    const { text, parse, link_names } = message as { text: string; parse: string; link_names: boolean };
    return parse === 'none' && !link_names ? (text.match(/[<>]/g) ?? []) : ['parsed'];
  }
  if (one.dialect.name === 'discord') {
    const { allowed_mentions, content } = message as { allowed_mentions: unknown; content: string };
    expect(allowed_mentions).toEqual({ parse: [] });
    return content.replace(/```[\s\S]*?\n```/g, '').match(/<[@#:!&t/]|@(?:everyone|here)(?<!\\@\w+)/g) ?? [];
  }
  if (one.dialect.name === 'matrix') {
    const { formatted_body, 'm.mentions': named } = message as {
      formatted_body: string;
      'm.mentions': unknown;
    };
    expect(named).toEqual({});
    return formatted_body.replace(/<code[^>]*>[^<]*<\/code>/g, '').match(/<a\b|matrix\.to|@\w+:/g) ?? [];
  }
  return [];
}
