/** What each chat is given where its own rules ask for more than those all share. */
import { CountersignError } from '@countersign/protocol';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { linearise } from '../linearise.js';
import { renderPlain } from '../plain.js';
import { codePoints } from '../shorten.js';
import type { View } from '../view.js';
import { hostileView } from './hostile.fixtures.js';
import {
  discord,
  matrix,
  plainText,
  rebuildChunk,
  renderChat,
  slackBlocks,
  telegramEntities,
  telegramHtml,
} from './index.js';
import { readMatrixBody } from './read-back.fixtures.js';

const RUNS = { numRuns: 30 };

describe('each chat in its own way', () => {
  const view = (...blocks: View['blocks']): View => ({ v: 1, summary: 'Do it', blocks });
  const code = (value: string, lang?: string): View['blocks'][number] => ({
    type: 'block',
    label: 'Code',
    value,
    value_type: 'code',
    ...(lang === undefined ? {} : { lang }),
  });

  it('plain is what renderPlain writes', () => {
    fc.assert(
      fc.property(hostileView, (any) => {
        const named = {
          ...any,
          blocks: any.blocks.map((one) => ({ ...one, label: `x${one.label}`, value: `x${one.value}` })),
        } as View;
        expect(renderChat(plainText, named).chunks[0]?.message.text).toBe(renderPlain(linearise(named)));
      }),
    );
  });

  it('telegram nests nothing and keeps within a hundred entities, or the rest would lose its protection', () => {
    const rows = Array.from({ length: 150 }, (_, at) => ({
      type: 'key_value' as const,
      key: `k${at}`,
      value: '@ann_smith',
    }));
    const { chunks } = renderChat(telegramEntities, view(...rows));
    expect(chunks.length).toBeGreaterThan(2);
    for (const { message } of chunks) expect(message.entities.length).toBeLessThanOrEqual(100);
    for (const { message } of renderChat(telegramHtml, view(...rows)).chunks) {
      expect(message.text.match(/<(?:b|code|pre)>/g)?.length).toBeLessThanOrEqual(100);
    }
  });

  it('telegram HTML stays below what the server reads', () => {
    const { chunks } = renderChat(telegramHtml, view(code('&'.repeat(20_000))), {
      limits: { maxMarkupBytes: 4000 },
    });
    for (const { message } of chunks) expect(Buffer.byteLength(message.text)).toBeLessThanOrEqual(4000);
  });

  it('telegram messages never end in a blank, which would be trimmed', () => {
    const { chunks } = renderChat(telegramHtml, view(code(' \n'.repeat(6000))));
    expect(chunks.length).toBeGreaterThan(1);
    for (const { message } of chunks) expect(message.text).toMatch(/\(\d\/\d\)$/);
  });

  it('slack gets no text element over 3,000 characters, in one box nevertheless', () => {
    const { chunks } = renderChat(slackBlocks, view(code('x'.repeat(9000))));
    const boxes = chunks.flatMap(({ message }) => message.blocks.flatMap(({ elements }) => elements));
    const box = boxes.find(({ type }) => type === 'rich_text_preformatted');
    expect(box?.elements.map(({ text }) => text.length)).toEqual([1500, 1500, 1500, 1500, 1500, 1500]);
  });

  it('slack notifications show the beginning, escaped', () => {
    const { chunks } = renderChat(slackBlocks, { ...view(code('x')), summary: 'Tell <!channel> & all' });
    expect(chunks[0]?.message.text).toBe('Tell &lt;!channel&gt; &amp; all');
  });

  it('discord divides code where it would close its fence', () => {
    const { chunks } = renderChat(discord, view(code('a\n````\nb', 'ts')));
    expect(chunks[0]?.message.content).toBe('**Do it**\n**Code**:\n```ts\na\n``\n```\n```ts\n``\nb\n```');
  });

  it('discord fences nothing that is only line breaks: no client would see the fence end', () => {
    const { chunks } = renderChat(discord, view(code('\n\n'), code('x')));
    expect(chunks[0]?.message.content).toBe('**Do it**\n**Code**:\n\n\n\n**Code**:\n```\nx\n```');
  });

  it('matrix fences are longer than any run of backticks inside', () => {
    fc.assert(
      fc.property(hostileView, (any) => {
        for (const { message, spans } of renderChat(matrix, any, { limits: { maxContentBytes: 900 } })
          .chunks) {
          const boxes = readMatrixBody(message).filter(({ style }) => style === 'pre');
          expect(boxes.map(({ text }) => text)).toEqual(
            spans.filter(({ style }) => style === 'pre').map(({ text }) => text),
          );
        }
      }),
      RUNS,
    );
  });

  it('matrix leaves room for what servers and encryption add', () => {
    const { chunks } = renderChat(matrix, view(code('漢'.repeat(30_000))));
    for (const { message } of chunks)
      expect(Buffer.byteLength(JSON.stringify(message)) / 0.75 + 8192).toBeLessThanOrEqual(65_536);
  });
});

describe('what was cut', () => {
  const view: View = {
    v: 1,
    summary: 's',
    blocks: [{ type: 'field', label: 'Log', value: 'x', truncated: true }],
  };

  it('by the sender is not approved in a chat', () => {
    expect(renderChat(discord, view)).toMatchObject({ whole: false, offers: ['reject', 'open_on_phone'] });
    const uncut: View = { ...view, blocks: [{ type: 'field', label: 'Log', value: 'x' }] };
    expect(renderChat(discord, uncut).whole).toBe(true);
    expect(renderChat(discord, uncut, { truncated: true }).whole).toBe(false);
  });

  it('for too many messages is counted in the last one', () => {
    const long: View = {
      v: 1,
      summary: 's',
      blocks: [{ type: 'block', label: 'L', value: 'x'.repeat(9000) }],
    };
    const { chunks } = renderChat(discord, long, { maxChunks: 2 });
    const left = 9000 + 's\nL: '.length - chunks.map(({ text }) => text).join('').length;
    expect(chunks[1]?.message.content).toContain(`\n⋯ ${left} characters left out: open on phone\n(2/2)`);
    expect(() => renderChat(discord, long, { maxChunks: 0 })).toThrow(CountersignError);
  });

  it('does not count masked secrets', () => {
    const secret: View = {
      v: 1,
      summary: 's',
      blocks: [{ type: 'key_value', key: 'Token', value: 'abc', value_type: 'secret' }],
    };
    const { whole, chunks } = renderChat(telegramHtml, secret);
    expect(whole).toBe(true);
    expect(chunks[0]?.message.text).toContain('<code>••••••••</code>');
  });
});

describe('a rebuilt message', () => {
  const view: View = { v: 1, summary: 's', blocks: [{ type: 'block', label: 'L', value: 'x'.repeat(1900) }] };
  const [chunk] = renderChat(discord, view).chunks;
  if (chunk === undefined) throw new Error('no chunk');

  it('begins with what became of the item, in one escaped line', () => {
    const { message } = rebuildChunk(discord, chunk, 'Approved by *Ann*\n@everyone');
    expect(message.content).toMatch(/^\*\*Approved by \\\*Ann\\\* ⏎ \\@everyone\*\*\n\*\*s\*\*\n/);
  });

  it('gives up its end when the note needs the room', () => {
    const { message } = rebuildChunk(discord, chunk, `Rejected by Bo: ${'no '.repeat(200)}`);
    expect(codePoints(message.content)).toBeLessThanOrEqual(2000);
    expect(message.content).toMatch(/⋯ \d+ characters left out: open on phone$/);
  });

  it('is made of what was kept of the first one as JSON', () => {
    const kept = JSON.parse(JSON.stringify(chunk)) as typeof chunk;
    expect(rebuildChunk(discord, kept, 'Expired')).toEqual(rebuildChunk(discord, chunk, 'Expired'));
  });

  it('refuses limits that do not hold the note', () => {
    const limits = { maxCodePoints: 60 };
    expect(() => rebuildChunk(discord, chunk, 'n'.repeat(100), { limits })).toThrow(CountersignError);
  });
});
