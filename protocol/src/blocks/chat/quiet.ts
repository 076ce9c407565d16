/**
 * Finds the words that a chat would turn into something by itself: a mention, a tag, a command, a link. Dialects write
 * those as code, where chats leave text alone. Must not know any platform's markup.
 */

export interface Piece {
  readonly text: string;
  /** A chat might make something of it. */
  readonly loud: boolean;
}

/** Mentions, addresses, tags, commands, cash tags, paths; a domain, a scheme, a time: anything dotted or with a colon. */
const LOUD = /[@#/$\\]|[.:]\S/;
/** What may end a sentence behind such a word. */
const SENTENCE_END = '.,:;!?)';

/** The text in pieces, in order; blanks between two loud words are loud, others quiet. */
export function piecesOf(text: string): Piece[] {
  const pieces: { text: string; loud: boolean }[] = [];
  const add = (part: string, loud: boolean) => {
    const last = pieces.at(-1);
    if (last !== undefined && last.loud === loud) last.text += part;
    else if (part !== '') pieces.push({ text: part, loud });
  };
  for (const [, blanks = '', word = ''] of text.matchAll(/(\s*)(\S*)/g)) {
    const loud = LOUD.test(word);
    const end = loud ? endOf(word) : word.length;
    add(blanks, loud && pieces.at(-1)?.loud === true);
    add(word.slice(0, end), loud);
    add(word.slice(end), false);
  }
  return pieces;
}

function endOf(word: string): number {
  let end = word.length;
  while (end > 0 && SENTENCE_END.includes(word.charAt(end - 1))) end--;
  return end;
}
