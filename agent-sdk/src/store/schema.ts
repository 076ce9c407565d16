/**
 * Tables of the agent's state, as migrations: `user_version` counts those applied. A migration is never
 * edited once released, only added. Must not know what the rows mean to anyone.
 */

const FIRST = `
CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID;

-- A pairing window: its token and its own X25519 pair (02 §1), kept for a day after it ended.
CREATE TABLE windows (
  window_id TEXT PRIMARY KEY,
  token BLOB NOT NULL,
  x25519_public BLOB NOT NULL,
  x25519_secret BLOB NOT NULL,
  opened_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL,
  closed INTEGER NOT NULL DEFAULT 0,
  misses INTEGER NOT NULL DEFAULT 0,
  device TEXT,
  device_x25519 BLOB
) STRICT, WITHOUT ROWID;

CREATE TABLE devices (
  device TEXT PRIMARY KEY,
  name TEXT NOT NULL,
  named_by_person INTEGER NOT NULL DEFAULT 0,
  platform INTEGER NOT NULL,
  supports TEXT NOT NULL DEFAULT '[]',
  private_previews INTEGER NOT NULL DEFAULT 0,
  last_seen_at INTEGER
) STRICT, WITHOUT ROWID;

-- One key agreement with a device; its counters live and die with it.
CREATE TABLE pairings (
  channel_id TEXT PRIMARY KEY,
  device TEXT NOT NULL REFERENCES devices ON DELETE CASCADE,
  device_x25519 BLOB NOT NULL,
  agent_x25519_public BLOB NOT NULL,
  agent_x25519_secret BLOB NOT NULL,
  window_id TEXT NOT NULL,
  platform INTEGER NOT NULL,
  state TEXT NOT NULL,
  verified INTEGER NOT NULL DEFAULT 0,
  paired_at INTEGER NOT NULL,
  send_high INTEGER NOT NULL DEFAULT 0,
  sent_counter INTEGER NOT NULL DEFAULT 0,
  receive_window BLOB,
  hello_counter INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE INDEX pairings_by_device ON pairings (device);

CREATE TABLE outbox (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  peer TEXT NOT NULL,
  nonce BLOB NOT NULL,
  ciphertext BLOB NOT NULL,
  push BLOB,
  expires_at INTEGER NOT NULL
) STRICT;
CREATE INDEX outbox_by_peer ON outbox (peer);

-- Opened under a key nobody confirmed yet (02 §5).
CREATE TABLE held (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  channel_id TEXT NOT NULL REFERENCES pairings ON DELETE CASCADE,
  counter INTEGER NOT NULL,
  live INTEGER NOT NULL,
  payload TEXT NOT NULL
) STRICT;
CREATE INDEX held_by_channel ON held (channel_id);

-- entry and run_arguments are erased when the item ends or its approved call starts; the rest stays 30 days.
CREATE TABLE items (
  request_id TEXT PRIMARY KEY,
  kind TEXT NOT NULL,
  state TEXT NOT NULL,
  tool_name TEXT,
  sensitive INTEGER NOT NULL DEFAULT 0,
  created_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL,
  digest TEXT NOT NULL,
  detail_digest TEXT,
  entry TEXT,
  decision TEXT,
  run_arguments TEXT,
  receipt TEXT,
  run TEXT,
  run_note TEXT,
  ended_at INTEGER
) STRICT, WITHOUT ROWID;
CREATE INDEX items_pending ON items (created_at) WHERE state = 'pending';

-- What a device was given of an item: whether it went out whole, and whether the device was alerted.
CREATE TABLE item_devices (
  request_id TEXT NOT NULL REFERENCES items ON DELETE CASCADE,
  device TEXT NOT NULL,
  whole INTEGER NOT NULL DEFAULT 0,
  alerted INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (request_id, device)
) STRICT, WITHOUT ROWID;

-- The first ack of every payload that asked for one.
CREATE TABLE answers (
  device TEXT NOT NULL,
  id TEXT NOT NULL,
  ack TEXT NOT NULL,
  at INTEGER NOT NULL,
  PRIMARY KEY (device, id)
) STRICT, WITHOUT ROWID;
CREATE INDEX answers_by_time ON answers (at);

CREATE TABLE bypasses (
  id TEXT PRIMARY KEY,
  tool_name TEXT NOT NULL,
  session_id TEXT,
  until INTEGER,
  ends_at INTEGER NOT NULL,
  device TEXT NOT NULL
) STRICT, WITHOUT ROWID;
`;

const PUSHES = `
-- Messages that may become a push, by outbox id, with what the relay said became of it.
CREATE TABLE pushes (
  ref INTEGER PRIMARY KEY,
  device TEXT NOT NULL,
  request_id TEXT,
  at INTEGER NOT NULL,
  outcome TEXT,
  detail TEXT
) STRICT;
CREATE INDEX pushes_by_item ON pushes (request_id);
CREATE INDEX pushes_by_time ON pushes (at);
`;

export const MIGRATIONS: readonly string[] = [FIRST, PUSHES];
