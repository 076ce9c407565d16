/** The plain dialect for chats without markup: as `renderPlain` writes, in messages. Must not know platforms. */
import { PLAIN_INDENT } from '../plain.js';
import type { Dialect } from './dialect.js';
import type { Span } from './span.js';

export interface PlainMessage {
  readonly text: string;
}

export interface PlainLimits {
  readonly maxUnits: number;
  readonly [name: string]: number;
}

export const plainText: Dialect<PlainMessage, PlainLimits> = {
  name: 'plain',
  limits: { maxUnits: Number.MAX_SAFE_INTEGER },
  write: (spans) => ({ text: spans.map(indented).join('') }),
  fits: ({ text }, { maxUnits }) => text.length <= maxUnits,
  maxUnits: ({ maxUnits }) => maxUnits,
};

function indented({ style, text }: Span): string {
  if (style === 'pre') return PLAIN_INDENT + text.replaceAll('\n', `\n${PLAIN_INDENT}`);
  return style === 'plain' ? text : text.replaceAll('\n', `\n${PLAIN_INDENT}`);
}
