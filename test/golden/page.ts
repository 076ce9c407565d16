/** One golden page: a call, and the same view in every dialect. Markdown, to be read. */
import { createRegistry } from '@countersign/agent-sdk/describe';
import {
  type ChatMessages,
  discord,
  escapeInvisible,
  linearise,
  matrix,
  renderChat,
  renderPlain,
  type SlackBlock,
  slackBlocks,
  telegramEntities,
  telegramHtml,
  type View,
} from '@countersign/protocol/blocks';
import { describeWith, expectedOf } from '../corpus/corpus.js';
import type { GoldenCall } from './calls.js';

const registry = createRegistry();

export function goldenPage(call: GoldenCall): string {
  const described = describeWith(registry, call);
  const { view } = described;
  const sections = [
    `# ${call.name}`,
    call.about,
    `Risk: ${expectedOf(described).risk}`,
    `## The call`,
    box('json', visibleJson({ tool: call.tool, arguments: call.args })),
    `## plain`,
    box('text', renderPlain(linearise(view))),
    ...dialects(view),
  ];
  return `${sections.join('\n\n')}\n`;
}

function dialects(view: View): string[] {
  return [
    ...section('telegramHtml', renderChat(telegramHtml, view), ({ text }) => box('html', text)),
    ...section('telegramEntities', renderChat(telegramEntities, view), ({ text, entities }) =>
      [box('text', text), box('text', entities.map((one) => entityLine(text, one)).join('\n'))].join('\n\n'),
    ),
    ...section('slackBlocks', renderChat(slackBlocks, view), ({ text, blocks }) =>
      [`Notification: ${inline(text)}`, box('text', blocks.map(blockLines).join('\n'))].join('\n\n'),
    ),
    ...section('discord', renderChat(discord, view), ({ content }) => box('md', content)),
    ...section('matrix', renderChat(matrix, view), ({ body, formatted_body }) =>
      ['`body`', box('md', body), '`formatted_body`', box('html', formatted_body)].join('\n\n'),
    ),
  ];
}

function section<M>(
  name: string,
  { chunks, offers }: ChatMessages<M>,
  show: (message: M) => string,
): string[] {
  const many = chunks.length > 1 ? `, ${chunks.length} messages` : '';
  const shown = chunks.map(
    ({ message }, at) => (many === '' ? '' : `### message ${at + 1}\n\n`) + show(message),
  );
  return [`## ${name}${many}`, ...shown, `Offers: ${offers.join(', ')}`];
}

/** JSON writes hidden characters by their numbers, so that nobody who reads the page is fooled by it. */
function visibleJson(value: unknown): string {
  const units = (character: string) =>
    character.split('').map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
  return Array.from(JSON.stringify(value, undefined, 2), (character) =>
    escapeInvisible(character) === character ? character : units(character).join(''),
  ).join('');
}

/** One text element a line, as it is sent. */
function blockLines({ elements }: SlackBlock): string {
  const lines = elements.map(({ elements: texts, ...rest }) =>
    [JSON.stringify(rest), ...texts.map((one) => `  ${JSON.stringify(one)}`)].join('\n'),
  );
  return ['rich_text', ...lines].join('\n');
}

function entityLine(
  text: string,
  { type, offset, length, language }: { type: string; offset: number; length: number; language?: string },
): string {
  const marked = JSON.stringify(text.slice(offset, offset + length));
  const shown = marked.length > 60 ? `${marked.slice(0, 40)} … ${marked.slice(-16)}` : marked;
  return `${type}${language === undefined ? '' : ` (${language})`} at ${offset}, ${length} units: ${shown}`;
}

/** A fence longer than any inside. */
function box(lang: string, text: string): string {
  const runs = [...text.matchAll(/`+/g)].map(([run]) => run.length);
  const fence = '`'.repeat(Math.max(3, ...runs.map((length) => length + 1)));
  return `${fence}${lang}\n${text}\n${fence}`;
}

function inline(text: string): string {
  return `\`\` ${text} \`\``;
}
