/**
 * The tables of the relay's file and how an older file becomes the present one. Must not know what is asked of them.
 * `user_version` counts the migrations applied; `application_id` says that the file is a relay's.
 */
import type { Database } from 'better-sqlite3';
import { STORE_ROW_BYTES } from '../../../ports/index.js';
import { StateFailure } from './failures.js';

/** "CSgR" in ASCII. */
export const APPLICATION_ID = 0x43536752;

/**
 * Each entry lifts a file by one version. Entries are never changed once released, only added.
 * 2: a message names its recipient and sender by the device's number, 0 for the agent: with whole keys the indexes were
 * larger than what they index, and each commit wrote most of their pages. `ref` holds a uint64 as SQLite's signed 64 bits. A nonce is remembered for the pair of its namespace's agent and
 * one device, so it goes with the device; `entry` grows with time, which makes the oldest ones those to drop.
 * 3: the push outbox. A device with pushes has one turn, so that the next push is found without looking at those that
 * may not go yet: `due_at` of a turn is that of the device's first push, or the end of the lease while one is leased.
 */
export const MIGRATIONS: readonly string[] = [
  `
  CREATE TABLE settings (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID;

  CREATE TABLE totals (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    namespaces INTEGER NOT NULL, devices INTEGER NOT NULL, messages INTEGER NOT NULL, bytes INTEGER NOT NULL
  ) STRICT;
  INSERT INTO totals VALUES (1, 0, 0, 0, 0);

  CREATE TABLE namespaces (
    ns INTEGER PRIMARY KEY,
    id BLOB NOT NULL UNIQUE,
    agent BLOB NOT NULL,
    touched_at INTEGER NOT NULL,
    last_seq INTEGER NOT NULL,
    devices INTEGER NOT NULL
  ) STRICT;
  CREATE INDEX namespaces_touched ON namespaces (touched_at);
  CREATE INDEX namespaces_empty ON namespaces (touched_at) WHERE devices = 0;
  CREATE TRIGGER namespace_added AFTER INSERT ON namespaces BEGIN
    UPDATE totals SET namespaces = namespaces + 1, bytes = bytes + ${STORE_ROW_BYTES.namespace} WHERE id = 1;
  END;
  CREATE TRIGGER namespace_removed AFTER DELETE ON namespaces BEGIN
    UPDATE totals SET namespaces = namespaces - 1, bytes = bytes - ${STORE_ROW_BYTES.namespace} WHERE id = 1;
  END;

  CREATE TABLE windows (
    ns INTEGER PRIMARY KEY REFERENCES namespaces ON DELETE CASCADE,
    token_hash BLOB NOT NULL,
    expires_at INTEGER NOT NULL,
    used_ed25519 BLOB,
    used_x25519 BLOB
  ) STRICT;
  CREATE INDEX windows_expiry ON windows (expires_at);

  CREATE TABLE devices (
    device INTEGER PRIMARY KEY,
    ns INTEGER NOT NULL REFERENCES namespaces ON DELETE CASCADE,
    ed25519 BLOB NOT NULL,
    x25519 BLOB NOT NULL,
    platform INTEGER NOT NULL,
    authorized INTEGER NOT NULL,
    window BLOB NOT NULL,
    paired_at INTEGER NOT NULL,
    token TEXT NOT NULL,
    app TEXT,
    UNIQUE (ns, ed25519)
  ) STRICT;
  CREATE INDEX devices_pending ON devices (paired_at) WHERE authorized = 0;
  CREATE TRIGGER device_added AFTER INSERT ON devices BEGIN
    UPDATE namespaces SET devices = devices + 1 WHERE ns = new.ns;
    UPDATE totals SET devices = devices + 1,
      bytes = bytes + ${STORE_ROW_BYTES.device} + octet_length(new.token) WHERE id = 1;
  END;
  CREATE TRIGGER device_token_changed AFTER UPDATE OF token ON devices BEGIN
    UPDATE totals SET bytes = bytes + octet_length(new.token) - octet_length(old.token) WHERE id = 1;
  END;
  CREATE TRIGGER device_removed AFTER DELETE ON devices BEGIN
    UPDATE namespaces SET devices = devices - 1 WHERE ns = old.ns;
    UPDATE totals SET devices = devices - 1,
      bytes = bytes - ${STORE_ROW_BYTES.device} - octet_length(old.token) WHERE id = 1;
  END;

  CREATE TABLE messages (
    message INTEGER PRIMARY KEY,
    ns INTEGER NOT NULL REFERENCES namespaces ON DELETE CASCADE,
    recipient BLOB NOT NULL,
    seq INTEGER NOT NULL,
    sender BLOB NOT NULL,
    bytes INTEGER NOT NULL,
    enqueued_at INTEGER NOT NULL,
    expires_at INTEGER NOT NULL,
    nonce BLOB NOT NULL,
    ciphertext BLOB NOT NULL,
    UNIQUE (ns, recipient, seq)
  ) STRICT;
  CREATE INDEX messages_queue ON messages (ns, recipient, sender, bytes);
  CREATE INDEX messages_expiry ON messages (expires_at);
  CREATE TRIGGER message_added AFTER INSERT ON messages BEGIN
    UPDATE totals SET messages = messages + 1,
      bytes = bytes + ${STORE_ROW_BYTES.message} + new.bytes WHERE id = 1;
  END;
  CREATE TRIGGER message_removed AFTER DELETE ON messages BEGIN
    UPDATE totals SET messages = messages - 1,
      bytes = bytes - ${STORE_ROW_BYTES.message} - old.bytes WHERE id = 1;
  END;
  `,
  `
  CREATE TABLE queued (
    message INTEGER PRIMARY KEY,
    ns INTEGER NOT NULL REFERENCES namespaces ON DELETE CASCADE,
    recipient INTEGER NOT NULL,
    seq INTEGER NOT NULL,
    sender INTEGER NOT NULL,
    bytes INTEGER NOT NULL,
    enqueued_at INTEGER NOT NULL,
    expires_at INTEGER NOT NULL,
    nonce BLOB NOT NULL,
    ciphertext BLOB NOT NULL,
    ref INTEGER
  ) STRICT;
  INSERT INTO queued SELECT message, old.ns, coalesce(receiving.device, 0), seq, coalesce(sending.device, 0),
      bytes, enqueued_at, expires_at, nonce, ciphertext, NULL
    FROM messages AS old
    LEFT JOIN devices AS receiving ON receiving.ns = old.ns AND receiving.ed25519 = old.recipient
    LEFT JOIN devices AS sending ON sending.ns = old.ns AND sending.ed25519 = old.sender
    ORDER BY message;
  DROP TABLE messages;
  ALTER TABLE queued RENAME TO messages;
  CREATE INDEX messages_queue ON messages (ns, recipient, seq, sender, bytes);
  CREATE INDEX messages_expiry ON messages (expires_at);
  CREATE TRIGGER message_added AFTER INSERT ON messages BEGIN
    UPDATE totals SET messages = messages + 1,
      bytes = bytes + ${STORE_ROW_BYTES.message} + new.bytes WHERE id = 1;
  END;
  CREATE TRIGGER message_removed AFTER DELETE ON messages BEGIN
    UPDATE totals SET messages = messages - 1,
      bytes = bytes - ${STORE_ROW_BYTES.message} - old.bytes WHERE id = 1;
  END;

  CREATE TABLE nonces (
    entry INTEGER PRIMARY KEY,
    device INTEGER NOT NULL REFERENCES devices ON DELETE CASCADE,
    from_agent INTEGER NOT NULL,
    nonce BLOB NOT NULL,
    seq INTEGER NOT NULL,
    accepted_at INTEGER NOT NULL,
    UNIQUE (device, from_agent, nonce)
  ) STRICT;
  `,
  `
  ALTER TABLE totals ADD COLUMN pushes INTEGER NOT NULL DEFAULT 0;
  ALTER TABLE messages ADD COLUMN hinted INTEGER NOT NULL DEFAULT 0;
  ALTER TABLE messages ADD COLUMN collapse BLOB;
  ALTER TABLE messages ADD COLUMN pushed INTEGER NOT NULL DEFAULT 0;
  CREATE INDEX messages_hinted ON messages (ns, recipient, seq, bytes) WHERE hinted = 1;
  CREATE INDEX messages_collapse ON messages (ns, recipient, collapse) WHERE collapse IS NOT NULL;

  ALTER TABLE devices ADD COLUMN lane TEXT NOT NULL DEFAULT '';
  ALTER TABLE devices ADD COLUMN registered_at INTEGER NOT NULL DEFAULT 0;
  ALTER TABLE devices ADD COLUMN environment TEXT;
  ALTER TABLE devices ADD COLUMN vapid TEXT;
  ALTER TABLE devices ADD COLUMN handle BLOB;
  ALTER TABLE devices ADD COLUMN problem TEXT;
  UPDATE devices SET registered_at = unixepoch() * 1000, lane = CASE platform
      WHEN 1 THEN 'apns' WHEN 3 THEN 'webpush' ELSE iif(token LIKE '{%', 'webpush', 'fcm') END
    WHERE token <> '';

  CREATE TABLE pushes (
    push INTEGER PRIMARY KEY,
    device INTEGER NOT NULL REFERENCES devices ON DELETE CASCADE,
    seq INTEGER NOT NULL,
    refused INTEGER NOT NULL,
    intent TEXT NOT NULL,
    collapse BLOB,
    ref INTEGER,
    created_at INTEGER NOT NULL,
    due_at INTEGER NOT NULL,
    expires_at INTEGER NOT NULL,
    lease INTEGER NOT NULL DEFAULT 0,
    attempts INTEGER NOT NULL DEFAULT 0,
    unknowns INTEGER NOT NULL DEFAULT 0,
    as_wake INTEGER NOT NULL DEFAULT 0,
    reason TEXT
  ) STRICT;
  CREATE INDEX pushes_of_device ON pushes (device, due_at);
  CREATE INDEX pushes_leased ON pushes (device) WHERE lease > 0;
  CREATE TRIGGER push_added AFTER INSERT ON pushes BEGIN
    UPDATE totals SET pushes = pushes + 1, bytes = bytes + ${STORE_ROW_BYTES.push} WHERE id = 1;
  END;
  CREATE TRIGGER push_removed AFTER DELETE ON pushes BEGIN
    UPDATE totals SET pushes = pushes - 1, bytes = bytes - ${STORE_ROW_BYTES.push} WHERE id = 1;
  END;

  CREATE TABLE push_turns (
    device INTEGER PRIMARY KEY REFERENCES devices ON DELETE CASCADE,
    lane TEXT NOT NULL,
    due_at INTEGER NOT NULL,
    lease INTEGER NOT NULL DEFAULT 0
  ) STRICT;
  CREATE INDEX push_turns_due ON push_turns (lane, due_at);
  CREATE INDEX push_turns_leased ON push_turns (device) WHERE lease > 0;

  CREATE TABLE push_reports (
    report INTEGER PRIMARY KEY AUTOINCREMENT,
    ns INTEGER NOT NULL REFERENCES namespaces ON DELETE CASCADE,
    ref INTEGER NOT NULL,
    peer BLOB NOT NULL,
    outcome TEXT NOT NULL,
    detail TEXT NOT NULL,
    at INTEGER NOT NULL
  ) STRICT;
  CREATE INDEX push_reports_of_agent ON push_reports (ns, report);
  CREATE TRIGGER push_report_added AFTER INSERT ON push_reports BEGIN
    UPDATE totals SET bytes = bytes + ${STORE_ROW_BYTES.report} WHERE id = 1;
  END;
  CREATE TRIGGER push_report_removed AFTER DELETE ON push_reports BEGIN
    UPDATE totals SET bytes = bytes - ${STORE_ROW_BYTES.report} WHERE id = 1;
  END;
  `,
];

/**
 * Applies what is missing, each migration in its own transaction, so a crash leaves a whole version.
 * @throws StateFailure `state_newer`, or `state_corrupt` for a database of another program.
 */
export function migrate(db: Database, migrations: readonly string[] = MIGRATIONS): void {
  const version = versionOf(db);
  if (version > migrations.length) {
    throw new StateFailure(
      'state_newer',
      `The relay's data file has version ${version}, this program knows up to ${migrations.length}. Use the newer program.`,
    );
  }
  migrations.slice(version).forEach((sql, index) => {
    db.transaction(() => {
      db.exec(sql);
      db.pragma(`application_id = ${APPLICATION_ID}`);
      db.pragma(`user_version = ${version + index + 1}`);
    }).immediate();
  });
}

function versionOf(db: Database): number {
  const version = db.pragma('user_version', { simple: true }) as number;
  const isEmpty = db.prepare('SELECT count(*) FROM sqlite_schema').pluck().get() === 0;
  const isOurs = db.pragma('application_id', { simple: true }) === APPLICATION_ID;
  if (version < 0 || (isOurs ? version === 0 : !isEmpty || version !== 0)) {
    throw new StateFailure('state_corrupt', "The data file is a database, but not a relay's.");
  }
  return version;
}
