/**
 * One statement: what it does, to what, and whether to all of it. A reading by keywords, for what a parser does not
 * tell or does not take. Must not know dialects beyond their keywords.
 */
import type { RiskLevel } from '../../describer.js';
import { clause, depthsOf, isAlwaysTrue, namesFrom, scopeOf, tablesRead, upper, whereOf } from './scope.js';
import type { Token } from './tokens.js';

/** So many parts of a statement are looked at: each costs as much as the statement is long. */
const MAX_PARTS = 40;

/** One thing a statement does. */
export interface Deed {
  /** As a person would name it: `DELETE from`, `DROP TABLE`, `Run function`. */
  readonly verb: string;
  readonly targets: readonly string[];
  /** ` without WHERE`, ` CASCADE`. */
  readonly note: string;
  readonly level: RiskLevel;
  /** Only looks. */
  readonly reads: boolean;
}

const OBJECTS =
  /^(?:TABLE|VIEW|MATERIALIZED|DATABASE|SCHEMA|INDEX|TRIGGER|FUNCTION|PROCEDURE|ROLE|USER|SEQUENCE|TYPE|EXTENSION|POLICY|COLUMN|CONSTRAINT|EVENT|TABLESPACE|DOMAIN|SERVER|PUBLICATION|SUBSCRIPTION|RULE|AGGREGATE|WAREHOUSE|STAGE|TASK|LOGIN|SYNONYM|PACKAGE|KEYSPACE|COLLATION|LANGUAGE|GROUP|OWNED|FOREIGN)$/;
const READS = /^(?:SELECT|VALUES|TABLE|SHOW|DESCRIBE|DESC|HELP|LIST|PRAGMA|USE|GET|FROM)$/;
const SESSION =
  /^(?:BEGIN|START|COMMIT|ROLLBACK|SAVEPOINT|RELEASE|END|ABORT|SET|RESET|PREPARE|DEALLOCATE|DECLARE|FETCH|CLOSE|OPEN|PRINT|IF|ELSE|THEN|RETURN|LOOP|WHILE|LISTEN|UNLISTEN|NOTIFY|DISCARD|GO)$/;
const UPKEEP =
  /^(?:ANALYZE|ANALYSE|VACUUM|REINDEX|CLUSTER|OPTIMIZE|CHECK|REPAIR|REFRESH|CHECKPOINT|COMMENT|FLUSH)$/;
const RUNS = /^(?:CALL|DO|EXEC|EXECUTE)$/;
const GRAVE = /^(?:SHUTDOWN|KILL|PURGE|LOAD|IMPORT|RESTORE|BACKUP|INSTALL|UNDROP|BULK|UNLOAD|PUT|REMOVE)$/;
const WRITES: ReadonlySet<string> = new Set(['INSERT', 'UPDATE', 'DELETE', 'MERGE', 'REPLACE', 'UPSERT']);
/** Functions that reach beyond the data. */
const REACHES =
  /^(?:xp_\w+|sp_oacreate|sp_configure|sp_addsrvrolemember|openrowset|opendatasource|load_file|load_extension|writefile|readfile|edit|pg_read_file|pg_read_binary_file|pg_ls_dir|pg_terminate_backend|pg_cancel_backend|pg_reload_conf|pg_promote|lo_import|lo_export|dblink\w*|query_to_xml|database_to_xml|sys_exec|sys_eval|utl_http|utl_file|dbms_scheduler|httpuriytype|s3_query)$/i;

/** Every deed in the tokens of one statement, those of its parts too. */
export function deedsOf(tokens: readonly Token[]): Deed[] {
  const depths = depthsOf(tokens);
  const [main = 0, ...inner] = verbPlaces(tokens, depths);
  const runsIt =
    !/^EXPLAIN$/.test(upper(tokens[0])) || /^ANALY[ZS]E$/.test(upper(tokens[1])) || analyzes(tokens);
  const places = runsIt ? [main, ...inner] : [];
  const deeds = places.flatMap((at) => deedAt(tokens, depths, at) ?? []);
  const reaching = tokens.flatMap((token, at) => (isReach(tokens, token, at) ? [token.text] : []));
  const reached = reaching.length === 0 ? [] : [deed('Run function', [...new Set(reaching)], 'high')];
  const told = [...deeds, ...reached];
  return told.length > 0
    ? told
    : [deed(runsIt ? 'Run' : 'Explain', [], runsIt ? 'normal' : 'low', '', !runsIt)];
}

/** `EXPLAIN (ANALYZE, BUFFERS) DELETE …` runs the statement. */
function analyzes(tokens: readonly Token[]): boolean {
  return tokens[1]?.text === '(' && tokens.slice(2, 12).some((token) => /^ANALY[ZS]E$/.test(upper(token)));
}

function isReach(tokens: readonly Token[], token: Token, at: number): boolean {
  return (
    token.kind === 'word' &&
    REACHES.test(token.text) &&
    (tokens[at + 1]?.text === '(' || /^xp_|^sp_/i.test(token.text))
  );
}

/** Where the statement's own verb stands, then the writes inside it. */
function verbPlaces(tokens: readonly Token[], depths: readonly number[]): number[] {
  let main = tokens.findIndex((token) => token.kind === 'word');
  if (/^EXPLAIN$/.test(upper(tokens[main])))
    main = tokens.findIndex(
      (token, at) => at > main && depths[at] === 0 && isVerb(token) && !/^ANALY[ZS]E$/.test(upper(token)),
    );
  if (upper(tokens[main]) === 'WITH')
    main = tokens.findIndex(
      (token, at) =>
        at > main &&
        depths[at] === 0 &&
        /^(?:SELECT|INSERT|UPDATE|DELETE|MERGE|REPLACE|VALUES|TABLE)$/.test(upper(token)),
    );
  const inner = tokens.flatMap((token, at) =>
    at !== main && WRITES.has(upper(token)) && tokens[at - 1]?.text === '(' && isWriteHere(tokens, at)
      ? [at]
      : [],
  );
  return [Math.max(main, 0), ...inner.slice(0, MAX_PARTS)];
}

/** `(REPLACE(a, b, c))` is a function. */
function isWriteHere(tokens: readonly Token[], at: number): boolean {
  return tokens[at + 1]?.text !== '(';
}

function isVerb(token: Token): boolean {
  const word = upper(token);
  return (
    WRITES.has(word) ||
    /^(?:SELECT|WITH|CREATE|DROP|ALTER|TRUNCATE|VALUES|TABLE|EXECUTE|DECLARE|REFRESH)$/.test(word)
  );
}

function deedAt(tokens: readonly Token[], depths: readonly number[], at: number): Deed[] {
  const verb = upper(tokens[at]);
  const scope = scopeOf(tokens, depths, at);
  if (verb === 'DELETE' || verb === 'UPDATE') return [rowDeed(verb, scope)];
  if (verb === 'SELECT' || verb === 'FROM') return [selectDeed(scope)];
  if (WRITES.has(verb)) return [insertDeed(verb, scope)];
  if (READS.test(verb)) return [readDeed(verb, scope)];
  if (verb === 'CREATE') return [objectDeed(verb, scope), ...routineDeeds(scope)];
  if (verb === 'DROP' || verb === 'ALTER' || verb === 'RENAME') return [objectDeed(verb, scope)];
  if (verb === 'TRUNCATE') return [deed('TRUNCATE', namesFrom(scope, 1), 'high', ': every row goes')];
  if (verb === 'GRANT' || verb === 'REVOKE' || verb === 'DENY')
    return [deed(verb, [clause(scope, 1, 14)], 'high')];
  if (verb === 'COPY') return [copyDeed(scope)];
  if (RUNS.test(verb))
    return [
      deed(
        verb === 'DO' ? 'Run code' : 'Run procedure',
        verb === 'DO' ? [] : namesFrom(scope, 1).slice(0, 1),
        'normal',
      ),
      ...insideOf(scope),
    ];
  if (SESSION.test(verb)) return sessionDeeds(verb, scope);
  if (verb === 'LOCK') return [deed('LOCK', namesFrom(scope, 1), 'normal')];
  if (verb === 'ATTACH' || verb === 'DETACH') return [deed(verb, [clause(scope, 1, 4)], 'normal')];
  if (UPKEEP.test(verb))
    return [
      deed(
        verb,
        [clause(scope, 1, 4)].filter((one) => one !== ''),
        'normal',
      ),
    ];
  return [
    deed(
      GRAVE.test(verb) ? verb : `Run ${verb.slice(0, 20) || 'something'}`,
      [clause(scope, 1, 5)].filter((one) => one !== ''),
      GRAVE.test(verb) ? 'high' : 'normal',
    ),
  ];
}

/** `SET ROLE`, `SET GLOBAL` change more than this session's habits. */
function sessionDeeds(verb: string, scope: readonly Token[]): Deed[] {
  const next = upper(scope[1]);
  const grave = verb === 'SET' && /^(?:ROLE|GLOBAL|PERSIST|PASSWORD|SESSION_AUTHORIZATION)$/.test(next);
  if (grave || (verb === 'SET' && next === 'SESSION' && upper(scope[2]) === 'AUTHORIZATION'))
    return [deed(`SET ${next}`, [clause(scope, 2, 4)], 'high')];
  return [deed(verb, [], 'low', '', true), ...insideOf(scope.slice(1))];
}

/** `BEGIN DELETE FROM x` without a semicolon between, `IF … DELETE FROM x`, code in a text. */
function insideOf(scope: readonly Token[]): Deed[] {
  const depths = depthsOf(scope);
  const places = scope.flatMap((token, at) =>
    (WRITES.has(upper(token)) && isWriteHere(scope, at)) || /^(?:DROP|TRUNCATE|ALTER)$/.test(upper(token))
      ? [at]
      : [],
  );
  return places.slice(0, MAX_PARTS).flatMap((at) => deedAt(scope, depths, at));
}

function rowDeed(verb: 'DELETE' | 'UPDATE', scope: readonly Token[]): Deed {
  const targets = verb === 'DELETE' ? deleteTargets(scope) : namesFrom(scope, 1).slice(0, 1);
  const where = whereOf(scope);
  const words = verb === 'DELETE' ? 'DELETE from' : 'UPDATE';
  if (where === undefined) return deed(words, targets, 'high', ' without WHERE');
  return isAlwaysTrue(where)
    ? deed(words, targets, 'high', ' where always true')
    : deed(words, targets, 'normal');
}

/** `DELETE FROM a`, and `DELETE a FROM a JOIN b` of MySQL and SQL Server. */
function deleteTargets(scope: readonly Token[]): string[] {
  const from = scope.findIndex((token, at) => at > 0 && upper(token) === 'FROM');
  if (from <= 1) return namesFrom(scope, Math.max(from, 0) + 1).slice(0, 1);
  const first = namesFrom(scope, 1);
  return first.length > 0 && !/^TOP$/i.test(first[0] ?? '') ? first : namesFrom(scope, from + 1).slice(0, 1);
}

function insertDeed(verb: string, scope: readonly Token[]): Deed {
  const overwrites = scope.slice(0, 4).some((token) => upper(token) === 'OVERWRITE');
  if (overwrites)
    return deed('INSERT over', namesFrom(scope, 1).slice(0, 1), 'high', ': what was there goes');
  const names = namesFrom(scope, 1).slice(0, 1);
  return deed(verb === 'MERGE' ? 'MERGE into' : `${verb} into`, names, 'normal');
}

function selectDeed(scope: readonly Token[]): Deed {
  const into = scope.findIndex((token) => upper(token) === 'INTO');
  const next = upper(scope[into + 1]);
  if (into !== -1 && /^(?:OUTFILE|DUMPFILE)$/.test(next))
    return deed('Write file', [scope[into + 2]?.text ?? ''], 'high');
  const named = into === -1 ? [] : namesFrom(scope, into + 1).slice(0, 1);
  if (named.length > 0 && !(named[0] ?? '').startsWith('@'))
    return deed('Make table', named, 'normal', ' by SELECT');
  return deed('Query', tablesRead(scope), 'low', '', true);
}

function readDeed(verb: string, scope: readonly Token[]): Deed {
  if (verb === 'PRAGMA' && scope.some((token) => token.text === '='))
    return deed('PRAGMA', [clause(scope, 1, 6)], 'normal');
  if (verb === 'USE') return deed('USE', namesFrom(scope, 1).slice(0, 1), 'low', '', true);
  return deed(
    verb === 'VALUES' || verb === 'TABLE' ? 'Query' : verb,
    [clause(scope, 1, 5)].filter((one) => one !== ''),
    'low',
    '',
    true,
  );
}

function objectDeed(verb: string, scope: readonly Token[]): Deed {
  const at = scope.findIndex((token, place) => place > 0 && OBJECTS.test(upper(token)));
  const kind = at === -1 ? '' : upper(scope[at]);
  const second = /^(?:MATERIALIZED|FOREIGN)$/.test(kind) ? ` ${upper(scope[at + 1])}` : '';
  const from = Math.max(at, 0) + (second === '' ? 1 : 2);
  const names = namesFrom(scope, from);
  const cascade = scope.some((token) => upper(token) === 'CASCADE') ? ' CASCADE' : '';
  if (verb === 'DROP') return deed(`DROP ${kind}${second}`, names, 'high', cascade);
  const drops =
    verb === 'ALTER' && scope.some((token, place) => place > from && /^(?:DROP|DETACH)$/.test(upper(token)));
  const grants = /^(?:ROLE|USER|LOGIN|POLICY|GROUP)$/.test(kind);
  const replaces =
    verb === 'CREATE' && upper(scope[1]) === 'OR' && upper(scope[2]) === 'REPLACE' ? ' OR REPLACE' : '';
  const level = drops || grants ? 'high' : 'normal';
  return deed(
    `${verb}${replaces} ${kind}${second}`.trim(),
    names.slice(0, 1),
    level,
    drops ? ': drops a part' : '',
  );
}

/** What a trigger or a routine does once something calls it. */
function routineDeeds(scope: readonly Token[]): Deed[] {
  const isRoutine = scope
    .slice(0, 12)
    .some((token) => /^(?:TRIGGER|FUNCTION|PROCEDURE|EVENT|RULE)$/.test(upper(token)));
  const body = scope.findIndex((token) => /^(?:BEGIN|AS|DO|INSTEAD)$/.test(upper(token)));
  return isRoutine && body !== -1 ? insideOf(scope.slice(body)).map(whenItRuns) : [];
}

export function whenItRuns(one: Deed): Deed {
  return { ...one, note: `${one.note} when it runs`, level: 'normal' };
}

/** A statement whose first word says nothing here. */
export function isUnknown({ verb }: Deed): boolean {
  return /^Run (?:[A-Z]*|something)$/.test(verb);
}

function copyDeed(scope: readonly Token[]): Deed {
  const program = scope.findIndex((token) => upper(token) === 'PROGRAM');
  if (program !== -1) return deed('Run program', [scope[program + 1]?.text ?? ''], 'high');
  const to = scope.some((token) => upper(token) === 'TO');
  const file = scope.find((token) => token.kind === 'text')?.text;
  return deed(
    to ? 'COPY out of' : 'COPY into',
    namesFrom(scope, 1).slice(0, 1),
    file === undefined ? 'normal' : 'high',
    file === undefined ? '' : ` (${file.slice(0, 80)})`,
  );
}

function deed(verb: string, targets: readonly string[], level: RiskLevel, note = '', reads = false): Deed {
  return { verb, targets, level, note, reads };
}
