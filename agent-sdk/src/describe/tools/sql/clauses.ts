/** Deeds as short clauses, and which database a name speaks of. Must not know tools. */
import type { Dialect } from 'sql-query-identifier';
import { readSql } from './read.js';
import { type Deed, isUnknown } from './statement.js';

const DIALECTS: readonly (readonly [expression: RegExp, dialect: Dialect])[] = [
  [/postgres|psql|supabase|neon|cockroach|\bpg|_pg_|redshift|timescale|crunchy/i, 'psql'],
  [/mysql|mariadb|planetscale|tidb/i, 'mysql'],
  [/sqlite|\bd1_|turso|libsql/i, 'sqlite'],
  [/mssql|sql_?server|azure_sql/i, 'mssql'],
  [/bigquery/i, 'bigquery'],
  [/snowflake/i, 'snowflake'],
  [/oracle/i, 'oracle'],
];

export function dialectOf(toolName: string, said: string | undefined): Dialect {
  const name = `${toolName.slice(0, 200)} ${said ?? ''}`;
  return DIALECTS.find(([expression]) => expression.test(name))?.[1] ?? 'generic';
}

export function deedWords({ verb, targets, note }: Deed): string {
  return `${verb} ${targets.join(', ')}${note}`.replace(/ {2,}/g, ' ').trim();
}

/** What a text given to a database's own program changes, for those who know command lines. */
export function sqlClauses(
  text: string,
  program: string,
): readonly { words: string; level: 'normal' | 'high' }[] {
  return readSql(text, dialectOf(program, undefined))
    .deeds.filter((deed) => !deed.reads && !isUnknown(deed))
    .map((deed) => ({ words: deedWords(deed), level: deed.level === 'high' ? 'high' : 'normal' }));
}
