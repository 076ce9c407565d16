/** Tools that run SQL, under the names that database servers and toolkits give them. */

import type { Block } from '@countersign/protocol/blocks';
import { type DescribeContext, type DescriberEntry, end, middle, type SummaryPart } from '../../describer.js';
import { listOf } from '../../list-of.js';
import { block, row } from '../../rows.js';
import type { Given } from '../given.js';
import {
  entries,
  firstOf,
  hiddenReasons,
  high,
  listed,
  low,
  type Reason,
  shown,
  type Tell,
  type Told,
  watchOut,
  worst,
} from '../told.js';
import { deedWords, dialectOf } from './clauses.js';
import { readSql, type SqlReading } from './read.js';
import type { Deed } from './statement.js';
import { MYSQL, tokensOf } from './tokens.js';

const RUN = [
  ...listOf('bigquery_execute bigquery_run_query snowflake_execute postgres_execute sqlite_execute'),
  ...listOf('execute_sql run_sql sql sql_query query_sql execute_query run_query query db_query'),
  ...listOf('database_query query_database execute_sql_query run_sql_query sql_db_query mysql_query'),
  ...listOf('pg_query postgres_query postgresql_query read_query write_query create_table alter_table'),
  ...listOf('drop_table execute_statement sql_execute sqlite_query run_select_query'),
  ...listOf('execute_write_query apply_migration run_sql_transaction run_snowflake_query'),
  ...listOf('run_query_snowflake bigquery_query execute_bigquery pg_execute_sql pg_execute_query'),
  ...listOf('pg_execute_mutation explain_sql_statement mssql_query execute_dml execute_ddl'),
  ...listOf('execute_command exec_sql duckdb_query clickhouse_query run_clickhouse_query'),
  ...listOf('execute_unsafe_query insert_data update_data delete_data execute read_data mysql_execute'),
  ...listOf('explain_query prepare_database_migration d1_database_query redshift_query athena_query'),
  ...listOf('trino_query'),
];
/** A single statement up to this length says best itself what it does. */
const MAX_PLAIN_UNITS = 110;
const CHECKS = ['sql_db_query_checker', 'validate_sql', 'format_sql', 'check_query'];
const LOOKS = [
  ...listOf('sql_db_schema describe_table get_table_schema describe_table_schema list_tables'),
  ...listOf('sql_db_list_tables get_object_details table_schema get_schema'),
];
const SQL_NAMES = [
  ...listOf('sql query statement sql_query sqlQuery sql_statement sql_text statements sql_statements'),
  ...listOf('queries migration_sql'),
];
/** Words a statement begins with. */
const BEGINS =
  /^(?:alter|analyze|attach|backup|begin|call|cluster|comment|commit|copy|create|deallocate|declare|delete|deny|desc|describe|detach|do|drop|exec|execute|explain|export|flush|from|grant|handler|if|import|insert|install|kill|list|listen|load|lock|merge|notify|optimize|pragma|prepare|purge|put|refresh|reindex|release|rename|replace|reset|restore|revoke|rollback|savepoint|select|set|show|shutdown|start|table|truncate|undrop|unload|unlisten|update|upsert|use|vacuum|values|with)$/i;
/** Beginnings that nobody writes to a search engine. */
const UNMISTAKABLE =
  /^(?:SELECT (?:[^A-Z ]|.* FROM )|INSERT (?:.* )?INTO |UPDATE .* SET |DELETE .*FROM |MERGE INTO |REPLACE INTO |WITH .* AS \( |TRUNCATE |(?:CREATE|DROP|ALTER) (?:.* )?(?:TABLE|VIEW|INDEX|DATABASE|SCHEMA|FUNCTION|PROCEDURE|TRIGGER|ROLE|USER|SEQUENCE|TYPE|EXTENSION|POLICY) |GRANT .* TO |REVOKE .* FROM |EXPLAIN .*SELECT |SHOW TABLES|PRAGMA |BEGIN ?;|VACUUM|DO [^A-Z])/;
const NAMED_SO =
  /sql|database|_?db_?|postgres|mysql|sqlite|snowflake|bigquery|clickhouse|duckdb|redshift|athena|trino|_query$|^(?:read|write)_query$|migration|execute_(?:ddl|dml|statement)/i;

/** A text of another language may stand under the same names: then the tool or the text itself must say SQL. */
function isSql(text: string, saysSo: boolean): boolean {
  const { tokens } = tokensOf(text.slice(0, 20_000), MYSQL);
  const from = tokens.findIndex(({ kind, text: sign }) => kind !== 'sign' || !'(;*/'.includes(sign));
  const first = tokens[from];
  if (first?.kind !== 'word' || !BEGINS.test(first.text)) return false;
  const head = tokens
    .slice(from, from + 200)
    .map((token) => (token.kind === 'word' ? token.text.toUpperCase() : token.text.slice(0, 40)));
  return saysSo || UNMISTAKABLE.test(`${head.join(' ')} `);
}

function saysSql(given: Given, toolName: string): boolean {
  return NAMED_SO.test(toolName.slice(0, 200)) || given.used.some((name) => /sql|statement/i.test(name));
}

function toldSql(given: Given, context: DescribeContext): Told | undefined {
  const statements = given.words(...SQL_NAMES);
  const text = statements.map((one) => one.replace(/;?\s*$/, '')).join(';\n');
  const shownText = statements.length === 1 ? (statements[0] ?? '') : `${text};`;
  if (statements.length === 0 || !isSql(shownText, saysSql(given, context.toolName))) return undefined;
  const said = given.text('dialect', 'database_type', 'db_type', 'engine');
  const reading = readSql(shownText, dialectOf(context.toolName, said));
  const values = given.any('params', 'parameters', 'values', 'bindings', 'args');
  return {
    summary: summaryOf(reading, shownText),
    blocks: [
      block('SQL', shownText, 'code', 'sql'),
      ...reading.warnings.map((words) => row('Watch out', words)),
      ...watchOut([shownText]),
      ...deedRows(reading),
      ...shown('Values', values === undefined ? undefined : JSON.stringify(values, null, 1), 'json'),
      ...shown('Dialect', said),
    ],
    reasons: [...deedReasons(reading.deeds), ...reading.warnings.map(high), ...hiddenReasons([shownText])],
    least: reading.warnings.length === 0 ? worst(reading.deeds.map(({ level }) => level)) : 'normal',
  };
}

function summaryOf({ deeds, looksAt, statements, warnings }: SqlReading, text: string): SummaryPart[] {
  const told = gravestFirst(deeds);
  const writes = told.filter(({ reads }) => !reads);
  const named =
    writes.length > 0
      ? writes
      : told
          .slice(0, 1)
          .map((deed) => ({ ...deed, targets: deed.targets.length > 0 ? deed.targets : looksAt }));
  const more = named.length - 2;
  const line = text.replace(/\s+/g, ' ').trim();
  const plain = line.length <= MAX_PLAIN_UNITS && statements === 1 && warnings.length === 0;
  if (plain && named.length === 1 && named[0] !== undefined && saysItself(named[0], line))
    return [middle(line)];
  return [
    ...named
      .slice(0, 2)
      .flatMap((deed, at): SummaryPart[] => [...(at === 0 ? [] : [', ']), ...deedParts(deed)]),
    ...(more > 0 ? [` (+${more} more)`] : []),
    ': ',
    middle(line),
  ];
}

/** What the statement itself says as clearly. */
const PLAIN_NOTES: ReadonlySet<string> = new Set(['', ' CASCADE', ': drops a part', ': every row goes']);

/** Whether the statement begins with what is to be said of it. */
function saysItself({ verb, note, reads }: Deed, line: string): boolean {
  const first = verb.split(' ')[0] ?? '';
  return PLAIN_NOTES.has(note) && (reads || line.toUpperCase().startsWith(first.toUpperCase()));
}

function deedParts({ verb, targets, note }: Deed): SummaryPart[] {
  return [
    end(verb),
    ...(targets.length > 0 ? [' ', ...firstOf(targets)] : []),
    ...(note === '' ? [] : [end(note)]),
  ];
}

function gravestFirst(deeds: readonly Deed[]): Deed[] {
  const order = { high: 0, normal: 1, low: 2 } as const;
  return deeds.toSorted((a, b) => order[a.level] - order[b.level]);
}

function deedRows({ deeds, statements, looksAt }: SqlReading): Block[] {
  const writes = gravestFirst(deeds).filter(({ reads }) => !reads);
  return [
    ...listed('Does', writes.slice(0, 50).map(deedWords)),
    ...listed('Looks at', looksAt),
    ...(statements > 1 && !writes.some(({ note }) => note.endsWith('when it runs'))
      ? [row('Statements', String(statements))]
      : []),
  ];
}

function deedReasons(deeds: readonly Deed[]): Reason[] {
  const reasons = gravestFirst(deeds)
    .filter(({ reads }) => !reads)
    .map((deed) => ({ level: deed.level, reason: deedWords(deed) }));
  return reasons.length > 0 ? reasons.slice(0, 8) : [low('only looks')];
}

function toldCheck(given: Given): Told | undefined {
  const text = given.text(...SQL_NAMES);
  if (text === undefined) return undefined;
  return {
    summary: ['Check SQL: ', middle(text)],
    blocks: [block('SQL', text, 'code', 'sql')],
    least: 'low',
  };
}

const toldLook: Tell = (given) => {
  const tables = given.words('table_names', 'table_name', 'table', 'tables', 'object_name');
  const schema = given.text('schema', 'schema_name', 'database');
  if (tables.length === 0 && schema === undefined) return undefined;
  return {
    summary: ['Look at the columns of ', ...firstOf(tables.length > 0 ? tables : [schema ?? ''])],
    blocks: [...listed('Tables', tables), ...shown('Schema', schema)],
    least: 'low',
  };
};

export const sqlTools: readonly DescriberEntry[] = [
  ...entries(RUN, toldSql),
  ...entries(CHECKS, toldCheck),
  ...entries(LOOKS, toldLook),
];
