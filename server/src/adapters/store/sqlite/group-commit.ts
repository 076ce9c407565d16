/**
 * Group commit: requests that came while the last commit ran share one transaction and one fsync. Each has a
 * savepoint, so one that fails takes nothing of the others along. Must not know what a request does, only
 * that doing it again after a rollback does the same.
 */
import type { Database } from 'better-sqlite3';
import { requestFailure } from './failures.js';
import type { Outcome, Request } from './messages.js';

export interface GroupCommit {
  /** Runs all, commits, and only then returns an outcome for each, in order. Never throws. */
  run(requests: readonly Request[]): Outcome[];
  /** How long commits that had something to write waited for the disk so far, in milliseconds. */
  readonly committingMs: number;
}

/** Thrown when SQLite has rolled back the whole transaction by itself, as it may for a full disk. */
class TransactionLost extends Error {}

export function createGroupCommit(db: Database, perform: (request: Request) => unknown): GroupCommit {
  const begin = db.prepare('BEGIN IMMEDIATE');
  const commit = db.prepare('COMMIT');
  const rollback = db.prepare('ROLLBACK');
  const mark = db.prepare('SAVEPOINT request');
  const keep = db.prepare('RELEASE request');
  const undo = db.prepare('ROLLBACK TO request');
  const changes = db.prepare('SELECT total_changes()').pluck();
  let [committingMs, changesThen] = [0, 0];

  function performOne(request: Request): Outcome {
    mark.run();
    try {
      const value = perform(request);
      keep.run();
      return { ok: true, value };
    } catch (error) {
      if (!db.inTransaction) throw new TransactionLost('', { cause: error });
      undo.run();
      keep.run();
      return { ok: false, failure: requestFailure(error) };
    }
  }

  function commitAll(requests: readonly Request[]): Outcome[] {
    const outcomes = requests.map(performOne);
    const changesNow = changes.get() as number;
    const began = performance.now();
    commit.run();
    if (changesNow !== changesThen) committingMs += performance.now() - began;
    changesThen = changesNow;
    return outcomes;
  }

  function runBegun(requests: readonly Request[]): Outcome[] {
    try {
      return commitAll(requests);
    } catch (error) {
      if (db.inTransaction) rollback.run();
      // Nothing of the group is stored. Alone, those that still fit succeed and the others fail for themselves.
      if (requests.length > 1) return requests.flatMap((request) => run([request]));
      return refuse(requests, error instanceof TransactionLost ? error.cause : error);
    }
  }

  function run(requests: readonly Request[]): Outcome[] {
    try {
      begin.run();
    } catch (error) {
      return refuse(requests, error);
    }
    return runBegun(requests);
  }

  return {
    run,
    get committingMs() {
      return committingMs;
    },
  };
}

function refuse(requests: readonly Request[], error: unknown): Outcome[] {
  const failure = requestFailure(error);
  return requests.map(() => ({ ok: false, failure }));
}
