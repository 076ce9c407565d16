/** Parts of one statement: its own words, the names in it, its WHERE. Must not know what statements do. */
import type { Token } from './tokens.js';

const SKIPPED =
  /^(?:IF|NOT|EXISTS|ONLY|TABLE|INTO|LOW_PRIORITY|HIGH_PRIORITY|DELAYED|QUICK|IGNORE|OR|REPLACE|ROLLBACK|ABORT|FAIL|CONCURRENTLY|TEMP|TEMPORARY|GLOBAL|LOCAL|UNLOGGED|TRANSIENT|VIRTUAL|UNIQUE|CLUSTERED|NONCLUSTERED|DEFINER|SECURITY|RECURSIVE|FORCE|OVERWRITE|FROM)$/;
/** A list names no more. */
const MAX_NAMES = 50;

/** The tokens of the verb's own statement: to where its parentheses close. */
export function scopeOf(tokens: readonly Token[], depths: readonly number[], at: number): Token[] {
  const depth = depths[at] ?? 0;
  const end = tokens.findIndex((_, place) => place > at && (depths[place] ?? 0) < depth);
  return tokens.slice(at, end === -1 ? undefined : end);
}

/** What follows WHERE on the statement's own level; undefined without it. */
export function whereOf(scope: readonly Token[]): readonly Token[] | undefined {
  const depths = depthsOf(scope);
  const at = scope.findIndex((token, place) => depths[place] === 0 && upper(token) === 'WHERE');
  if (at === -1) return undefined;
  const end = scope.findIndex(
    (token, place) =>
      place > at && depths[place] === 0 && /^(?:RETURNING|ORDER|LIMIT|OPTION)$/.test(upper(token)),
  );
  return scope.slice(at + 1, end === -1 ? undefined : end);
}

/** `1`, `TRUE`, `1 = 1`, `'a' = 'a'`, `id = id`, and any of them after an OR. */
export function isAlwaysTrue(where: readonly Token[]): boolean {
  const depths = depthsOf(where);
  const parts: Token[][] = [[]];
  where.forEach((token, at) => {
    if (depths[at] === 0 && upper(token) === 'OR') parts.push([]);
    else parts.at(-1)?.push(token);
  });
  return parts.some(isTrue);
}

function isTrue(part: readonly Token[]): boolean {
  if (part[0]?.text === '(' && part.at(-1)?.text === ')' && part.length < 12)
    return isTrue(part.slice(1, -1));
  const [first, sign, second] = part;
  if (part.length === 1 && first !== undefined)
    return upper(first) === 'TRUE' || (first.kind === 'number' && Number(first.text) !== 0);
  return (
    part.length === 3 && sign?.text === '=' && first?.text === second?.text && first?.kind === second?.kind
  );
}

/** Tables after FROM and JOIN, those of a list too; names of parts (WITH) among them. */
export function tablesRead(scope: readonly Token[]): string[] {
  const found = new Set<string>();
  scope.forEach((token, at) => {
    if (!/^(?:FROM|JOIN|USING)$/.test(upper(token)) || found.size > MAX_NAMES || scope[at + 1]?.text === '(')
      return;
    for (const name of namesFrom(scope, at + 1)) found.add(name);
  });
  return [...found].filter((name) => !/^(?:SELECT|LATERAL|UNNEST)$/i.test(name));
}

/** `a`, `a.b, "C d"`: names from here on, words that stand before them left out. */
export function namesFrom(tokens: readonly Token[], from: number): string[] {
  let at = from;
  while (tokens[at]?.kind === 'word' && SKIPPED.test(upper(tokens[at]))) at += 1;
  const names: string[] = [];
  while (names.length < MAX_NAMES) {
    const name = nameAt(tokens, at);
    if (name === undefined) return names;
    names.push(name.text);
    at = afterAlias(tokens, name.next);
    if (tokens[at]?.text !== ',') return names;
    at += 1;
  }
  return names;
}

/** `users u`, `users AS u`: an alias says nothing. */
function afterAlias(tokens: readonly Token[], at: number): number {
  if (tokens[at]?.text === ',') return at;
  const start = upper(tokens[at]) === 'AS' ? at + 1 : at;
  return isName(tokens[start]) && tokens[start + 1]?.text === ',' ? start + 1 : at;
}

function nameAt(tokens: readonly Token[], from: number): { text: string; next: number } | undefined {
  if (!isName(tokens[from])) return undefined;
  let [text, at] = [tokens[from]?.text ?? '', from + 1];
  while (tokens[at]?.text === '.' && isName(tokens[at + 1])) {
    text += `.${tokens[at + 1]?.text ?? ''}`;
    at += 2;
  }
  return { text, next: at };
}

function isName(token: Token | undefined): boolean {
  return token?.kind === 'word' || token?.kind === 'name' || token?.kind === 'text';
}

export function clause(scope: readonly Token[], from: number, length: number): string {
  return scope
    .slice(from, from + length)
    .map(({ text }) => text)
    .join(' ');
}

export function depthsOf(tokens: readonly Token[]): number[] {
  let depth = 0;
  return tokens.map(({ kind, text }) => {
    if (kind === 'sign' && text === ')') depth -= 1;
    const here = depth;
    if (kind === 'sign' && text === '(') depth += 1;
    return here;
  });
}

export function upper(token: Token | undefined): string {
  return token?.kind === 'word' && token.text.length <= 40 ? token.text.toUpperCase() : '';
}

/** Names that WITH gives to parts of the text. */
export function partNames(tokens: readonly Token[]): string[] {
  return tokens.flatMap(({ text }, at) =>
    at < 2_000 && isName(tokens[at]) && upper(tokens[at + 1]) === 'AS' && tokens[at + 2]?.text === '('
      ? [text]
      : [],
  );
}
