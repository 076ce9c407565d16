import Sqlite from 'better-sqlite3';
import { describe, expect, it } from 'vitest';
import { DEFAULT_STORE_LIMITS } from '../../../ports/index.js';
import { createOperations, STATEMENTS } from './operations/index.js';
import { APPLICATION_ID, MIGRATIONS, migrate } from './schema.js';

const pragma = (db: Sqlite.Database, name: string) => db.pragma(name, { simple: true });

describe('migrations', () => {
  const first = 'CREATE TABLE a (x)';
  const second = 'CREATE TABLE b (x); INSERT INTO b VALUES (1)';

  it('lift an empty file to the present version and mark it as ours', () => {
    const db = new Sqlite(':memory:');
    migrate(db);
    expect(pragma(db, 'user_version')).toBe(MIGRATIONS.length);
    expect(pragma(db, 'application_id')).toBe(APPLICATION_ID);
  });

  it('apply only what an older file lacks, and keep its rows', () => {
    const db = new Sqlite(':memory:');
    migrate(db, [first]);
    db.exec('INSERT INTO a VALUES (7)');
    migrate(db, [first, second]);
    migrate(db, [first, second]);
    expect(pragma(db, 'user_version')).toBe(2);
    expect(db.prepare('SELECT x FROM a').pluck().all()).toEqual([7]);
    expect(db.prepare('SELECT x FROM b').pluck().all()).toEqual([1]);
  });

  it('keep what waits in a file of the first version, with its order, senders and counts', () => {
    const db = new Sqlite(':memory:');
    const key = (fill: number) => new Uint8Array(32).fill(fill);
    migrate(db, MIGRATIONS.slice(0, 1));
    db.prepare('INSERT INTO namespaces VALUES (1, ?, ?, 0, 9, 0)').run(key(1), key(2));
    db.prepare("INSERT INTO devices VALUES (5, 1, ?, ?, 3, 1, x'', 0, '', NULL)").run(key(3), key(3));
    const old =
      db.prepare(`INSERT INTO messages (ns, recipient, seq, sender, bytes, enqueued_at, expires_at, nonce, ciphertext)
      VALUES (1, ?, ?, ?, 4, 0, 99, x'00', x'01020304')`);
    for (const seq of [7, 8]) old.run(key(3), seq, key(2));
    old.run(key(2), 9, key(3));
    const totals = () => db.prepare('SELECT messages, bytes FROM totals').get();
    const before = totals();
    migrate(db);
    const { takeUnproven } = createOperations(db, DEFAULT_STORE_LIMITS);
    const taken = (recipient: number) =>
      takeUnproven(key(1), key(recipient), { afterSeq: 0, maxBytes: 99, now: 0 }).map((message) => [
        message.seq,
        message.sender[0],
        message.ciphertext.length,
      ]);
    expect(taken(3)).toEqual([
      [7, 2, 4],
      [8, 2, 4],
    ]);
    expect(taken(2)).toEqual([[9, 3, 4]]);
    expect(totals()).toEqual(before);
    db.exec('DELETE FROM messages');
    expect(totals()).toMatchObject({ messages: 0 });
  });

  it('one that fails leaves the version before it whole', () => {
    const db = new Sqlite(':memory:');
    expect(() => migrate(db, [first, 'CREATE TABLE b (x); nonsense'])).toThrow();
    expect(pragma(db, 'user_version')).toBe(1);
    expect(db.prepare("SELECT name FROM sqlite_schema WHERE type = 'table'").pluck().all()).toEqual(['a']);
  });

  it('refuse a file of a newer program and leave it as it is', () => {
    const db = new Sqlite(':memory:');
    migrate(db, [first, second]);
    expect(() => migrate(db, [first])).toThrow(expect.objectContaining({ code: 'state_newer' }));
    expect(pragma(db, 'user_version')).toBe(2);
  });

  it('refuse a database of another program', () => {
    const db = new Sqlite(':memory:');
    db.exec('CREATE TABLE theirs (x)');
    expect(() => migrate(db)).toThrow(expect.objectContaining({ code: 'state_corrupt' }));
  });
});

describe('statements', () => {
  /** These scans follow the primary key and stop at the first row, or after as many rows as the step may remove. */
  const FIRST_ROW_ONLY = new Set([
    'housekeeping.oldest',
    'housekeeping.oldNonces',
    'housekeeping.oldReports',
    'housekeeping.oldestPush',
    // Of what was under way when the program ended.
    'pushOutbox.voidPushes',
    'pushOutbox.voidTurns',
  ]);
  const db = new Sqlite(':memory:');
  migrate(db);
  const all = Object.entries(STATEMENTS).flatMap(([group, sql]) =>
    Object.entries(sql).map(([name, text]) => ({ name: `${group}.${name}`, text })),
  );

  it.each(all.filter(({ name }) => !FIRST_ROW_ONLY.has(name)))('$name searches by index', ({ text }) => {
    const plan = db.prepare(`EXPLAIN QUERY PLAN ${text}`).all(...placeholders(text)) as { detail: string }[];
    expect(plan.map((step) => step.detail).filter((detail) => /^SCAN\b/.test(detail))).toEqual([]);
  });

  it.each([
    ['queues.filled', 'COVERING INDEX messages_queue (ns=? AND recipient=?)'],
    ['queues.lastSeq', 'COVERING INDEX messages_queue (ns=? AND recipient=?)'],
    ['queues.take', 'INDEX messages_queue (ns=? AND recipient=? AND seq>?)'],
    ['queues.ack', 'INDEX messages_queue (ns=? AND recipient=? AND seq<?)'],
    ['queues.device', 'INDEX sqlite_autoindex_devices_1 (ns=? AND ed25519=?)'],
    ['queues.remembered', 'INDEX sqlite_autoindex_nonces_1 (device=? AND from_agent=? AND nonce=?)'],
    ['queues.sameCollapse', 'INDEX messages_collapse (ns=? AND recipient=? AND collapse=?)'],
    ['queues.hinted', 'INDEX messages_hinted (ns=? AND recipient=?)'],
    ['pushOutbox.dueTurns', 'INDEX push_turns_due (lane=? AND due_at<?)'],
    ['pushOutbox.first', 'INDEX pushes_of_device (device=?)'],
    ['pushOutbox.content', 'INDEX messages_queue (ns=? AND recipient=? AND seq=?)'],
    ['pushOutbox.voidPushes', 'USING INDEX pushes_leased'],
    ['pushOutbox.voidTurns', 'USING INDEX push_turns_leased'],
    ['pushReports.take', 'INDEX push_reports_of_agent (ns=?)'],
    ['housekeeping.expiredMessages', 'COVERING INDEX messages_expiry (expires_at<?)'],
    ['housekeeping.oldPending', 'COVERING INDEX devices_pending (paired_at<?)'],
    ['housekeeping.empty', 'COVERING INDEX namespaces_empty (touched_at<?)'],
  ])('%s uses its own index', (name, index) => {
    const text = all.find((each) => each.name === name)?.text ?? '';
    const plan = db.prepare(`EXPLAIN QUERY PLAN ${text}`).all(...placeholders(text)) as { detail: string }[];
    expect(plan.map((step) => step.detail).join('\n')).toContain(index);
  });

  function placeholders(text: string): null[] {
    return Array.from(text.matchAll(/\?/g), () => null);
  }
});
