/**
 * The baseline of draining: a bare `ws` server that reads the rows of a recipient from a file, in order, and sends
 * them, and does nothing else. A socket names its recipient by number with its first message.
 */
import { randomBytes } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { encodeFrame } from '@countersign/protocol';
import Sqlite from 'better-sqlite3';
import { WebSocketServer } from 'ws';

interface Row {
  readonly seq: number;
  readonly sender: Uint8Array;
  readonly nonce: Uint8Array;
  readonly ciphertext: Uint8Array;
}

interface Options {
  readonly file: string;
  readonly recipients: number;
  readonly each: number;
  readonly bytes: number;
}

const options = JSON.parse(process.argv.at(-1) ?? '') as Options;
const db = new Sqlite(options.file);
db.pragma('journal_mode = WAL');
db.exec(`CREATE TABLE queued (id INTEGER PRIMARY KEY, recipient INTEGER NOT NULL, seq INTEGER NOT NULL,
  sender BLOB NOT NULL, nonce BLOB NOT NULL, ciphertext BLOB NOT NULL, UNIQUE (recipient, seq)) STRICT`);
db.transaction(fill)(options);
const queued = db.prepare(
  'SELECT seq, sender, nonce, ciphertext FROM queued WHERE recipient = ? ORDER BY seq',
);

const http = createServer();
const server = new WebSocketServer({ server: http, perMessageDeflate: false, clientTracking: false });
server.on('connection', (ws) => {
  ws.once('message', (data) => {
    for (const row of queued.all((data as Buffer).readUInt32BE(0)) as Row[])
      ws.send(frameOf(row), { binary: true });
  });
});
http.listen(0, '127.0.0.1', () => {
  const { port } = http.address() as AddressInfo;
  console.log(`listens on ws://127.0.0.1:${port}`);
});

function fill({ recipients, each, bytes }: Options): void {
  const append = db.prepare(
    'INSERT INTO queued (recipient, seq, sender, nonce, ciphertext) VALUES (?, ?, ?, ?, ?)',
  );
  for (let recipient = 0; recipient < recipients; recipient++) {
    const sender = randomBytes(32);
    for (let seq = 1; seq <= each; seq++)
      append.run(recipient, seq, sender, randomBytes(12), randomBytes(bytes));
  }
}

function frameOf({ seq, sender, nonce, ciphertext }: Row): Uint8Array {
  return encodeFrame({ type: 'message', ciphertext, nonce, peer: sender, live: false, seq: BigInt(seq) });
}
