import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Sqlite, { type Database } from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createGroupCommit } from './group-commit.js';
import type { Request } from './messages.js';

/** Requests of these tests: a number to store; 13 is refused after it was written, -1 loses the transaction. */
const ask = (...values: number[]): Request[] =>
  values.map((value) => ({ operation: 'stats', args: [value] }));

describe('a group commit', () => {
  let directory: string;
  let db: Database;
  let performed: number[];

  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'countersign-group-'));
    db = new Sqlite(join(directory, 'test.db'), { timeout: 0 });
    db.pragma('journal_mode = WAL');
    db.exec('CREATE TABLE kept (value INTEGER CHECK (value <> 99))');
    performed = [];
  });

  afterEach(() => {
    db.close();
    rmSync(directory, { recursive: true });
  });

  const group = (spoil: (value: number) => void = () => {}) =>
    createGroupCommit(db, ({ args }) => {
      const value = args[0] as number;
      performed.push(value);
      db.prepare('INSERT INTO kept VALUES (?)').run(value);
      spoil(value);
      return value * 10;
    });
  const kept = () => db.prepare('SELECT value FROM kept ORDER BY value').pluck().all();
  const refuse13 = (value: number) => {
    if (value === 13) throw new Error('refused');
  };

  it('answers each request in order and stores all', () => {
    expect(group().run(ask(1, 2, 3))).toEqual([10, 20, 30].map((value) => ({ ok: true, value })));
    expect(kept()).toEqual([1, 2, 3]);
  });

  it('one that fails loses only what it did itself', () => {
    const outcomes = group(refuse13).run(ask(1, 13, 3));
    expect(outcomes.map((outcome) => outcome.ok)).toEqual([true, false, true]);
    expect(kept()).toEqual([1, 3]);
    expect(performed).toEqual([1, 13, 1, 13, 3]);
  });

  it('failures name the system error and no value', () => {
    const [outcome] = group().run(ask(99));
    expect(outcome).toEqual({
      ok: false,
      failure: {
        code: 'unavailable',
        message: 'The store could not do this.',
        cause: 'SQLITE_CONSTRAINT_CHECK',
      },
    });
  });

  it('whose whole transaction is lost does each request again, alone', () => {
    const outcomes = group((value) => {
      if (value !== 13) return;
      db.exec('ROLLBACK');
      throw Object.assign(new Error('full'), { code: 'SQLITE_FULL' });
    }).run(ask(1, 13, 3));
    expect(outcomes.map((outcome) => outcome.ok)).toEqual([true, false, true]);
    expect(outcomes[1]).toMatchObject({ failure: { code: 'unavailable', message: 'The store is full.' } });
    expect(kept()).toEqual([1, 3]);
  });

  it('that cannot commit stores nothing of those that fail and all of those that succeed alone', () => {
    db.pragma('foreign_keys = ON');
    db.exec('CREATE TABLE parent (id INTEGER PRIMARY KEY)');
    db.exec('CREATE TABLE child (id INTEGER REFERENCES parent DEFERRABLE INITIALLY DEFERRED)');
    const outcomes = group((value) => {
      if (value === 13) db.exec('INSERT INTO child VALUES (5)');
    }).run(ask(1, 13, 3));
    expect(outcomes.map((outcome) => outcome.ok)).toEqual([true, false, true]);
    expect(kept()).toEqual([1, 3]);
    expect(db.inTransaction).toBe(false);
  });

  it('that cannot begin refuses all at once, without waiting once for each', () => {
    const other = new Sqlite(join(directory, 'test.db'));
    other.exec('BEGIN IMMEDIATE');
    const outcomes = group().run(ask(1, 2, 3));
    expect(outcomes.map((outcome) => outcome.ok)).toEqual([false, false, false]);
    expect(performed).toEqual([]);
    other.close();
    expect(group().run(ask(4))).toEqual([{ ok: true, value: 40 }]);
  });
});
