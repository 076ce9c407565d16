/**
 * Group commit: requests that came while the last commit ran share one transaction and one fsync. When one fails, the
 * group begins again with a savepoint for each, so that it takes nothing of the others along; without a failure
 * savepoints would only cost, because SQLite first copies every page that a request changes. Must not know what a request
 * does, only that doing it again after a rollback does the same.
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

export function createGroupCommit(db: Database, perform: (request: Request) => unknown): GroupCommit {
  const begin = db.prepare('BEGIN IMMEDIATE');
  const commit = db.prepare('COMMIT');
  const rollback = db.prepare('ROLLBACK');
  const mark = db.prepare('SAVEPOINT request');
  const keep = db.prepare('RELEASE request');
  const undo = db.prepare('ROLLBACK TO request');
  const changes = db.prepare('SELECT total_changes()').pluck();
  let [committingMs, changesThen] = [0, 0];

  function performMarked(request: Request): Outcome {
    mark.run();
    try {
      const value = perform(request);
      keep.run();
      return { ok: true, value };
    } catch (error) {
      if (!db.inTransaction) throw error;
      undo.run();
      keep.run();
      return { ok: false, failure: requestFailure(error) };
    }
  }

  function performPlain(request: Request): Outcome {
    return { ok: true, value: perform(request) };
  }

  /** @throws what a request or the commit threw; nothing of the group is stored then. */
  function commitAll(requests: readonly Request[], performOne: (request: Request) => Outcome): Outcome[] {
    try {
      const outcomes = requests.map(performOne);
      const changesNow = changes.get() as number;
      const began = performance.now();
      commit.run();
      if (changesNow !== changesThen) committingMs += performance.now() - began;
      changesThen = changesNow;
      return outcomes;
    } catch (error) {
      if (db.inTransaction) rollback.run();
      throw error;
    }
  }

  function runMarked(requests: readonly Request[]): Outcome[] {
    try {
      begin.run();
      return commitAll(requests, performMarked);
    } catch {
      // Alone, those that still fit succeed and the others fail for themselves.
      return requests.flatMap((request) => run([request]));
    }
  }

  function run(requests: readonly Request[]): Outcome[] {
    try {
      begin.run();
    } catch (error) {
      return refuse(requests, error);
    }
    try {
      return commitAll(requests, performPlain);
    } catch (error) {
      return requests.length > 1 ? runMarked(requests) : refuse(requests, error);
    }
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
