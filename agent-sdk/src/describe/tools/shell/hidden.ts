/** What in a text keeps a person from seeing all of it. Must not know shells beyond their line continuation. */
import { holdsInvisible } from '@countersign/protocol/blocks';

export interface Hidden {
  /** A clause for a person. */
  readonly words: string;
  /** Nobody writes so by accident. */
  readonly grave: boolean;
}

/** Texts are looked at this far. */
const MAX_UNITS = 200_000;
const MAX_LINE_UNITS = 1_000;
/** More blanks than any indentation or table has. */
const LONG_BLANKS = /\S[ \t\u00A0\u2000-\u200A\u202F\u3000]{32,}(?=\S)/g;
/** Of a text without blanks at its end: text follows, and no run is looked at twice. */
const EMPTY_LINES = /(?:\n[ \t\r]*){9}/;
const BEYOND_ASCII = /[^ -~\n\t]/;
const MIXED_SCRIPTS =
  /[A-Za-z][\w.-]{0,40}[\u0370-\u03FF\u0400-\u052F]|[\u0370-\u03FF\u0400-\u052F][\w.-]{0,40}[A-Za-z]/;

/** Empty when there is nothing. Never throws. */
export function hiddenIn(text: string): Hidden[] {
  const seen = text.slice(0, MAX_UNITS);
  const longest = seen.split('\n').reduce((most, line) => Math.max(most, line.length), 0);
  const blanks = (seen.match(LONG_BLANKS) ?? []).reduce((most, run) => Math.max(most, run.length - 1), 0);
  const beyond = BEYOND_ASCII.test(seen);
  const found: readonly (readonly [found: boolean, words: string, grave: boolean])[] = [
    [blanks > 0, `more text stands to the right of ${blanks} blanks`, true],
    [EMPTY_LINES.test(seen.trimEnd()), 'more text follows after many empty lines', true],
    [beyond && invisibleIn(seen), 'it holds invisible or control characters, shown as ⟨U+…⟩', true],
    [beyond && /\r(?!\n|$)/.test(seen), 'a carriage return can hide what stands before it', true],
    [beyond && MIXED_SCRIPTS.test(seen), 'letters of different alphabets look alike in one word', true],
    [/\\[ \t]*\n?$/.test(seen.slice(-200)), 'it ends with a line continuation', false],
    [longest > MAX_LINE_UNITS, `one line has ${longest} characters`, false],
  ];
  return found.filter(([is]) => is).map(([, words, grave]) => ({ words, grave }));
}

/** Whether it holds characters that do not show; blanks, tabs and line breaks of any kind are not looked at. */
export function invisibleIn(text: string): boolean {
  return holdsInvisible(text.replace(/\r+/g, ' '));
}
