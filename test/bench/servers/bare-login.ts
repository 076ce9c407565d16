/**
 * The baseline of logins: a bare `ws` server that sends 32 bytes and verifies one signature over them with libsodium
 * (`key ‖ signature` comes back), and does nothing else.
 */
import { randomBytes } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import sodium from 'libsodium-wrappers';
import { WebSocketServer } from 'ws';

const KEY_BYTES = 32;

await sodium.ready;
const http = createServer();
const server = new WebSocketServer({ server: http, perMessageDeflate: false, clientTracking: false });
server.on('connection', (ws) => {
  const nonce = randomBytes(32);
  ws.once('message', (data) => {
    const proof = data as Buffer;
    const [key, signature] = [proof.subarray(0, KEY_BYTES), proof.subarray(KEY_BYTES)];
    if (sodium.crypto_sign_verify_detached(signature, nonce, key)) ws.send(key, { binary: true });
    else ws.terminate();
  });
  ws.send(nonce, { binary: true });
});
http.listen({ port: 0, host: '127.0.0.1', backlog: 4096 }, () => {
  const { port } = http.address() as AddressInfo;
  console.log(`listens on ws://127.0.0.1:${port}`);
});
