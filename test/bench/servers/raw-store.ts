/**
 * The baseline of storing: the rows a relay would keep, inserted by better-sqlite3 alone, so many to a transaction,
 * each on disk when it commits. `{ insert, batch, bytes }` is answered with the milliseconds it took.
 */
import { randomBytes } from 'node:crypto';
import Sqlite from 'better-sqlite3';

interface Command {
  readonly insert: number;
  readonly batch: number;
  readonly bytes: number;
}

interface Options {
  readonly file: string;
  /** What is there already. */
  readonly filler?: Command;
}

const { file, filler } = JSON.parse(process.argv.at(-1) ?? '') as Options;
const db = new Sqlite(file);
db.pragma('journal_mode = WAL');
db.pragma('synchronous = FULL');
db.exec(`CREATE TABLE raw (
  id INTEGER PRIMARY KEY, ns INTEGER NOT NULL, recipient BLOB NOT NULL, seq INTEGER NOT NULL, sender BLOB NOT NULL,
  bytes INTEGER NOT NULL, enqueued_at INTEGER NOT NULL, expires_at INTEGER NOT NULL, nonce BLOB NOT NULL,
  ciphertext BLOB NOT NULL, UNIQUE (ns, recipient, seq)) STRICT`);
const append =
  db.prepare(`INSERT INTO raw (ns, recipient, seq, sender, bytes, enqueued_at, expires_at, nonce, ciphertext)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`);
let seq = 0;
if (filler) insert(filler);

process.on('message', (command: Command | 'usage') => {
  if (command !== 'usage') process.send?.(insert(command));
});
process.channel?.ref();
console.log('listens on ipc:');

function insert({ insert: count, batch, bytes }: Command): { ms: number } {
  const ciphertext = randomBytes(bytes);
  const keys = Array.from({ length: 1024 }, () => randomBytes(32));
  const rows = Array.from({ length: count }, (_, at) => rowOf(at, keys, ciphertext));
  const began = performance.now();
  const some = db.transaction((from: number) => {
    for (const row of rows.slice(from, from + batch)) append.run(...row);
  });
  for (let from = 0; from < count; from += batch) some.immediate(from);
  return { ms: performance.now() - began };
}

function rowOf(at: number, keys: readonly Buffer[], ciphertext: Buffer): unknown[] {
  const now = Date.now();
  const recipient = keys[at % keys.length];
  return [
    at % 64,
    recipient,
    seq++,
    keys[0],
    ciphertext.length,
    now,
    now + 1000,
    randomBytes(12),
    ciphertext,
  ];
}
