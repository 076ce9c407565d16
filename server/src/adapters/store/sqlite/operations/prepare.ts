/** Statements by name. Must not know any of them. */
import type { Database, Statement } from 'better-sqlite3';

export type Statements<Sql> = { readonly [Name in keyof Sql]: Statement<unknown[]> };

/** Compiles each text once. */
export function prepareAll<Sql extends Readonly<Record<string, string>>>(
  db: Database,
  sql: Sql,
): Statements<Sql> {
  const entries = Object.entries(sql).map(([name, text]) => [name, db.prepare(text)]);
  return Object.fromEntries(entries) as Statements<Sql>;
}
