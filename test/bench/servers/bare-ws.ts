/**
 * The baseline of forwarding: a bare `ws` server that hands what one socket says to another, and does nothing else.
 * Each socket names itself with its first message (`<pair>` or `<pair>` with the highest bit: a receiver).
 */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type WebSocket, WebSocketServer } from 'ws';

const RECEIVER = 0x80000000;
const receivers = new Map<number, WebSocket>();

const http = createServer();
const server = new WebSocketServer({ server: http, perMessageDeflate: false, clientTracking: false });
server.on('connection', (ws) => {
  ws.once('message', (data) => {
    const name = (data as Buffer).readUInt32BE(0);
    if (name >= RECEIVER) receivers.set(name - RECEIVER, ws);
    else forward(ws, name);
    ws.send(data, { binary: true });
  });
});
http.listen(0, '127.0.0.1', () => {
  const { port } = http.address() as AddressInfo;
  console.log(`listens on ws://127.0.0.1:${port}`);
});

function forward(from: WebSocket, pair: number): void {
  from.on('message', (data) => receivers.get(pair)?.send(data, { binary: true }));
}
