/**
 * The baseline of draining: a bare `ws` server that reads what waits for a recipient from a relay's file and sends it,
 * and does nothing else. A socket names its recipient with its first message.
 */
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

const { file } = JSON.parse(process.argv.at(-1) ?? '') as { file: string };
const db = new Sqlite(file, { readonly: true });
const queued = db.prepare(`SELECT seq, sender, nonce, ciphertext FROM messages
  WHERE ns = (SELECT ns FROM devices WHERE ed25519 = ?) AND recipient = ? ORDER BY seq`);

const http = createServer();
const server = new WebSocketServer({ server: http, perMessageDeflate: false, clientTracking: false });
server.on('connection', (ws) => {
  ws.once('message', (recipient) => {
    for (const row of queued.all(recipient, recipient) as Row[]) ws.send(frameOf(row), { binary: true });
  });
});
http.listen(0, '127.0.0.1', () => {
  const { port } = http.address() as AddressInfo;
  console.log(`listens on ws://127.0.0.1:${port}`);
});

function frameOf({ seq, sender, nonce, ciphertext }: Row): Uint8Array {
  return encodeFrame({ type: 'message', ciphertext, nonce, peer: sender, live: false, seq: BigInt(seq) });
}
