import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type DatabaseOptions, FULL_CHECK_MAX_BYTES, type OpenDatabase, openDatabase } from './database.js';
import { openingFailure } from './failures.js';
import { MIGRATIONS } from './schema.js';

const PAGE_BYTES = 4096;

describe('the data file', () => {
  let directory: string;
  let file: string;
  let opened: OpenDatabase[];

  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'countersign-database-'));
    file = join(directory, 'relay.db');
    opened = [];
  });

  afterEach(() => {
    for (const each of opened) each.close();
    rmSync(directory, { recursive: true });
  });

  const open = (options: Partial<DatabaseOptions> = {}) => {
    const result = openDatabase({ file, ...options });
    opened.push(result);
    return result;
  };
  const close = () => opened.pop()?.close();
  const refusalOf = (options: Partial<DatabaseOptions> = {}) => {
    try {
      open(options);
      return 'opened';
    } catch (error) {
      return openingFailure(error).code;
    }
  };
  const modeOf = (path: string) => (statSync(path).mode & 0o777).toString(8);
  const setAside = (sql: string) => {
    const db = new Sqlite(file);
    db.exec(sql);
    db.close();
  };

  it('is durable at each commit, with a log of writes of bounded size', () => {
    const { db } = open();
    const names = [
      'journal_mode',
      'synchronous',
      'foreign_keys',
      'busy_timeout',
      'wal_autocheckpoint',
      'journal_size_limit',
    ];
    const values = names.map((name) => db.pragma(name, { simple: true }));
    expect(values).toEqual(['wal', 2, 1, 5000, 4000, 64 * 1024 * 1024]);
  });

  it('is made with its directory, for its owner only, its companions too', () => {
    file = join(directory, 'new', 'relay.db');
    open().db.exec("INSERT INTO settings VALUES ('a', 'b')");
    expect(modeOf(join(directory, 'new'))).toBe('700');
    expect(['', '-wal', '-shm', '.lock'].map((end) => modeOf(file + end))).toEqual([
      '600',
      '600',
      '600',
      '600',
    ]);
  });

  it('that others could read is taken from them', () => {
    open();
    close();
    chmodSync(file, 0o644);
    chmodSync(`${file}.lock`, 0o666);
    open().db.exec("INSERT INTO settings VALUES ('a', 'b')");
    expect(['', '-wal', '-shm', '.lock'].map((end) => modeOf(file + end))).toEqual([
      '600',
      '600',
      '600',
      '600',
    ]);
  });

  it('opens again with what was committed', () => {
    open().db.exec("INSERT INTO settings VALUES ('a', 'b')");
    close();
    expect(open().db.prepare('SELECT value FROM settings').pluck().all()).toEqual(['b']);
  });

  it('is locked for a second relay in the same process, by any path, and free once closed', () => {
    open();
    const alias = join(directory, 'alias.db');
    symlinkSync(file, alias);
    expect([refusalOf(), refusalOf({ file: alias })]).toEqual(['state_locked', 'state_locked']);
    close();
    expect(refusalOf({ file: alias })).toBe('opened');
  });

  it('stays readable for a backup while it is open', () => {
    open().db.exec("INSERT INTO settings VALUES ('a', 'b')");
    const reader = new Sqlite(file, { readonly: true });
    expect(reader.prepare('SELECT value FROM settings').pluck().all()).toEqual(['b']);
    reader.close();
  });

  it('that is no database is refused and left as it is', () => {
    writeFileSync(file, 'not a database, but long enough to look at '.repeat(200));
    expect(refusalOf()).toBe('state_corrupt');
    expect(readFileSync(file, 'utf8')).toContain('not a database');
  });

  it('of another program is refused', () => {
    setAside('CREATE TABLE theirs (x)');
    expect(refusalOf()).toBe('state_corrupt');
  });

  it('of a newer program is refused', () => {
    open();
    close();
    setAside(`PRAGMA user_version = ${MIGRATIONS.length + 1}`);
    expect(refusalOf()).toBe('state_newer');
  });

  it('with a damaged page is refused', () => {
    open().db.exec(
      `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 2000)
       INSERT INTO settings SELECT 'name' || i, 'value' FROM n`,
    );
    close();
    damage(Math.floor(statSync(file).size / PAGE_BYTES) - 2);
    expect(refusalOf()).toBe('state_corrupt');
  });

  it('that is cut short is refused', () => {
    open().db.exec("INSERT INTO settings SELECT 'long', hex(zeroblob(40000))");
    close();
    writeFileSync(file, readFileSync(file).subarray(0, statSync(file).size - 8 * PAGE_BYTES));
    expect(refusalOf()).toBe('state_corrupt');
  });

  it('too large to check at each start opens, damaged or not', () => {
    open().db.exec(`INSERT INTO settings SELECT 'large', hex(zeroblob(${FULL_CHECK_MAX_BYTES / 2}))`);
    close();
    expect(statSync(file).size).toBeGreaterThan(FULL_CHECK_MAX_BYTES);
    damage(5000);
    const { db } = open();
    expect(() => db.prepare('SELECT value FROM settings').pluck().get()).toThrow(/malformed/);
  });

  it('is refused when it is a directory, or its directory is a file', () => {
    mkdirSync(file);
    expect(refusalOf()).toBe('state_corrupt');
    const plain = join(directory, 'plain');
    writeFileSync(plain, '');
    expect(refusalOf({ file: join(plain, 'relay.db') })).toBe('state_permissions');
  });

  it('is refused when there is no space for its tables, and opens once there is', () => {
    expect(refusalOf({ maxPageCount: 4 })).toBe('unavailable');
    expect(refusalOf()).toBe('opened');
  });

  it('that is refused stays unlocked', () => {
    writeFileSync(file, 'not a database, but long enough to look at '.repeat(200));
    expect(refusalOf()).toBe('state_corrupt');
    rmSync(file);
    expect(refusalOf()).toBe('opened');
    expect(existsSync(file)).toBe(true);
  });

  function damage(page: number): void {
    const bytes = readFileSync(file);
    bytes.fill(0xff, page * PAGE_BYTES, (page + 1) * PAGE_BYTES);
    writeFileSync(file, bytes);
  }
});
