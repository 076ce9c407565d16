/**
 * What SQL text does. Every statement is read by a parser for many dialects (its kind, the tables it looks at) and by
 * its keywords (targets of writes, WHERE, writes inside others); where databases would read the text differently, in
 * each of their ways, and the gravest counts. Bounded, never throws. Must not know tools.
 */
import { type Dialect, identify } from 'sql-query-identifier';
import { worst } from '../told.js';
import { partNames } from './scope.js';
import { type Deed, deedsOf, isUnknown, whenItRuns } from './statement.js';
import { MYSQL, PLAIN, POSTGRES, type Rules, type Token, tokensOf } from './tokens.js';

export interface SqlReading {
  readonly deeds: readonly Deed[];
  readonly statements: number;
  /** Tables it only looks at. */
  readonly looksAt: readonly string[];
  /** Clauses a person should know: hidden code, different readings. Grave ones. */
  readonly warnings: readonly string[];
}

/** Statements longer than this are read by keywords alone: the parser takes microseconds for each character. */
const MAX_PARSED_UNITS = 2_000;
/** Of all statements of one text together. */
const MAX_PARSED_TOTAL_UNITS = 4_000;
const MAX_STATEMENTS = 200;
const MAX_TABLES = 50;

interface Statement {
  readonly tokens: readonly Token[];
  readonly text: string;
}

interface Reading {
  readonly statements: readonly Statement[];
  readonly deeds: readonly Deed[];
  readonly executed: readonly string[];
  readonly open: boolean;
  readonly cut: boolean;
}

/** @param dialect of the parser, where the tool's name says which. */
export function readSql(text: string, dialect: Dialect = 'generic'): SqlReading {
  const [first, ...others] = rulesOf(dialect, text).map((rules) => readBy(text, rules));
  if (first === undefined) return { deeds: [], statements: 0, looksAt: [], warnings: [] };
  const differing = others.filter((other) => gist(other) !== gist(first));
  const gravest = [first, ...differing].reduce((best, one) => (weight(one) > weight(best) ? one : best));
  const parsed = parse(gravest.statements, dialect);
  const all = [first, ...differing];
  return {
    deeds: gravest.deeds.map((deed, at) => withKind(deed, gravest, parsed, at)),
    statements: gravest.statements.length,
    looksAt: onlyLookedAt(parsed.tables, gravest),
    warnings: [
      ...(differing.length > 0 ? ['databases read this text in different ways: the gravest is told'] : []),
      ...(all.some(({ executed }) => executed.length > 0)
        ? ['MySQL runs what stands in its comments /*! … */']
        : []),
      ...(all.every(({ open }) => open) ? ['a quote or comment has no end'] : []),
      ...(all.some(({ cut }) => cut) ? ['it is too long to be read through: more may happen'] : []),
    ],
  };
}

/** Several when nobody knows the database and the text has what they differ in. */
function rulesOf(dialect: Dialect, text: string): readonly Rules[] {
  if (dialect === 'psql') return [POSTGRES];
  if (dialect === 'mysql') return [MYSQL];
  if (dialect !== 'generic') return [PLAIN];
  return /[\\#$"]|--|\/\*/.test(text) ? [POSTGRES, MYSQL, PLAIN] : [POSTGRES];
}

function readBy(text: string, rules: Rules): Reading {
  const { tokens, executed, open, cut } = tokensOf(text, rules);
  const all = split(tokens, text);
  const statements = all.slice(0, MAX_STATEMENTS);
  return {
    statements,
    deeds: statements.flatMap((statement) => [
      ...deedsOf(statement.tokens),
      ...codeInTexts(statement, rules),
    ]),
    ...{ executed, open, cut: cut || all.length > MAX_STATEMENTS },
  };
}

/** At semicolons; a routine's body stays with its head. */
function split(tokens: readonly Token[], text: string): Statement[] {
  const statements: Statement[] = [];
  let from = 0;
  for (let at = 0; at <= tokens.length; at++) {
    const token = tokens[at];
    if (token !== undefined && !(token.kind === 'sign' && token.text === ';')) continue;
    const own = tokens.slice(from, at);
    from = at + 1;
    if (own.length > 0) statements.push({ tokens: own, text: text.slice(own[0]?.start, own.at(-1)?.end) });
  }
  return statements;
}

/** Code that stands in a text: the body of a routine, `DO $$ … $$`, `EXECUTE '…'`. One level deep. */
function codeInTexts({ tokens }: Statement, rules: Rules): Deed[] {
  const [first] = tokens;
  if (first?.kind !== 'word' || !/^(?:DO|EXEC|EXECUTE|PREPARE|CREATE)$/i.test(first.text)) return [];
  const later = /^CREATE$/i.test(first.text);
  const bodies = tokens.filter(({ kind, text }) => kind === 'text' && /\s/.test(text)).slice(0, 5);
  return bodies.flatMap(({ text }) =>
    split(tokensOf(text, rules).tokens, text)
      .slice(0, 20)
      .flatMap((inner) => deedsOf(inner.tokens).filter(({ reads }) => !reads))
      .map((deed) => (later ? whenItRuns(deed) : deed)),
  );
}

interface Parsed {
  readonly tables: readonly string[];
  /** By the statement's place: what kind the parser takes it for. */
  readonly kinds: ReadonlyMap<number, string>;
}

function parse(statements: readonly Statement[], dialect: Dialect): Parsed {
  const tables = new Set<string>();
  const kinds = new Map<number, string>();
  let units = 0;
  for (const [at, { text }] of statements.entries()) {
    units += text.length;
    if (text.length > MAX_PARSED_UNITS || units > MAX_PARSED_TOTAL_UNITS) continue;
    const [found] = parserSays(text, dialect);
    if (found === undefined) continue;
    if (found.executionType !== 'UNKNOWN') kinds.set(at, found.type);
    for (const { schema, name } of found.tables)
      tables.add(schema === undefined ? name : `${schema}.${name}`);
  }
  return { tables: [...tables].slice(0, MAX_TABLES), kinds };
}

/** Nothing where the parser gives up. */
function parserSays(text: string, dialect: Dialect): ReturnType<typeof identify> {
  try {
    return identify(text, { strict: false, dialect, identifyTables: true });
  } catch {
    return [];
  }
}

/** What the keywords do not know the parser may: a single statement of a kind it names. */
function withKind(deed: Deed, { deeds, statements }: Reading, { kinds }: Parsed, at: number): Deed {
  const kind = deeds.length === statements.length ? kinds.get(at) : undefined;
  return kind === undefined || !isUnknown(deed) ? deed : { ...deed, verb: kind.replaceAll('_', ' ') };
}

/** What a reading changes: two that change the same are not told apart. */
function gist({ deeds }: Reading): string {
  const writes = deeds.filter(({ reads }) => !reads);
  return [...new Set(writes.map(({ verb, targets, note }) => `${verb} ${targets.join(',')}${note}`))]
    .toSorted()
    .join(';');
}

/** Tables of the parser, without names that are none: targets of writes, parts of the text (WITH), keywords. */
function onlyLookedAt(tables: readonly string[], { deeds, statements }: Reading): string[] {
  const parts = new Set(statements.flatMap(({ tokens }) => partNames(tokens)));
  const targets = new Set(deeds.filter(({ reads }) => !reads).flatMap((deed) => deed.targets));
  const read = deeds.filter(({ verb }) => verb === 'Query').flatMap((deed) => deed.targets);
  const names = tables.filter((name) => /^[\p{L}_]/u.test(name) && !/^(?:OUTFILE|DUMPFILE)$/i.test(name));
  return [...new Set([...read, ...names])].filter((name) => !parts.has(name) && !targets.has(name));
}

/** Writes first, then how grave, then how much. */
function weight({ deeds }: Reading): number {
  const level = worst(deeds.map((deed) => deed.level));
  const writes = deeds.filter(({ reads }) => !reads).length;
  return (level === 'high' ? 10_000 : level === 'normal' ? 1_000 : 0) + writes;
}
