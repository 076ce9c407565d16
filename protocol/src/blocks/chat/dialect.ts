/** What a chat's way of writing has to tell, so that one packer serves all. Must not know views or rows. */
import type { Span } from './span.js';

export type DialectName =
  | 'plain'
  | 'telegramHtml'
  | 'telegramEntities'
  | 'slackBlocks'
  | 'discord'
  | 'matrix';

/** Numbers by name, each with its unit in it. */
export type Limits = Readonly<Record<string, number>>;

/**
 * Pure. `M` is a message as the platform's API takes it, but for where it goes to and its buttons. With more spans
 * a message never gets shorter.
 */
export interface Dialect<M, L extends Limits = Limits> {
  readonly name: DialectName;
  /** What the platform takes; a caller may ask for less. */
  readonly limits: L;
  write(spans: readonly Span[]): M;
  /** Whether the platform takes the message, counted its own way. */
  fits(message: M, limits: L): boolean;
  /** No message has more UTF-16 units of text than this. */
  maxUnits(limits: L): number;
}
