/**
 * Hostile beginnings: upgrades that are nearly HTTP, handshakes that are nearly right, WebSocket frames no library
 * writes. Each ends by itself or is ended here. Must not know logged-in peers.
 */
import { decodeFrame, encodeFrame, type RelayFrame } from '@countersign/protocol';
import { challengeText, signEd25519 } from '@countersign/protocol/auth';
import { agentRole, clientRole, type Keys, newKeys, pairingRole } from '../support/relay/raw-peer.js';
import type { Chance } from '../support/trials/chance.js';
import { nextFrame } from '../support/trials/raw-login.js';
import { frame, OPCODE, RawSocket, upgradeRequest } from '../support/trials/raw-socket.js';
import { type HostileFrames, MARKER } from './hostile-frames.js';
import { joined, mutated } from './mutate.js';

/** A relay answers, closes or is left after so long. */
const PATIENCE_MS = 300;

/** A first frame that is nearly a login. Returns what the relay said of it. */
export async function handshake(port: number, frames: HostileFrames, chance: Chance): Promise<string> {
  const { socket, upgraded } = await RawSocket.open({ port });
  if (upgraded.status !== 101) throw new Error(`a plain upgrade was answered ${upgraded.status}`);
  const challenge = await nextFrame(socket);
  if (challenge?.type !== 'challenge') throw new Error('the relay did not begin with a challenge');
  socket.send(frames.damaged(authOf(challenge.nonce, chance)));
  const answer = await nextFrame(socket);
  socket.destroy();
  return said(answer);
}

function said(answer: RelayFrame | undefined): string {
  if (answer?.type === 'auth_error' && answer.message.includes(MARKER)) {
    throw new Error('a refusal repeats what was sent');
  }
  return answer?.type === 'auth_error' ? answer.code : (answer?.type ?? 'closed');
}

function authOf(nonce: Uint8Array, chance: Chance): Uint8Array {
  const keys: Keys = newKeys();
  const fields = { namespaceId: chance.bytes(32), token: chance.bytes(32), deviceToken: MARKER };
  const role = chance.pick([agentRole(keys), clientRole(keys, fields), pairingRole(keys, fields)]);
  const signature = signEd25519(challengeText(nonce), keys.secretKey);
  return encodeFrame({ type: 'auth', role, signature, capabilities: ['window', MARKER], invite: MARKER });
}

/** What follows an upgrade at the level of WebSocket frames. */
export async function webSocketNoise(port: number, chance: Chance): Promise<void> {
  const { socket } = await RawSocket.open({ port });
  for (let left = chance.between(1, 6); left > 0 && !socket.ended; left--) socket.write(noise(chance));
  await ended(socket, chance);
}

function noise(chance: Chance): Buffer {
  const opcode = chance.between(0, 15);
  const payload = chance.bytes(chance.pick([0, 1, 2, 4, 125, 126, 127, 300]));
  const bytes = frame(opcode, payload, chance.percent(60));
  const kind = chance.between(1, 6);
  // Reserved bits, no mask, a length that is a lie, a close with an odd code, or no change at all.
  if (kind === 1) bytes[0] = (bytes[0] ?? 0) | 0x70;
  if (kind === 2) bytes[1] = (bytes[1] ?? 0) & 0x7f;
  if (kind === 3) return Buffer.from([0x82, 0xff, ...chance.bytes(8)]);
  if (kind === 4) return frame(OPCODE.close, chance.bytes(chance.between(0, 6)));
  return kind === 5 ? Buffer.from(mutated(bytes, chance)) : bytes;
}

const ODD_HEADERS = [
  'Origin: https://evil.example',
  'Origin: null',
  'Host: ',
  'Host: relay.example:99999',
  `Host: ${'a'.repeat(300)}`,
  'X-Forwarded-For: 192.0.2.1, ::1, unknown',
  `X-Forwarded-For: ${'1.1.1.1, '.repeat(200)}`,
  'Forwarded: for="[2001:db8::1]:443";proto=https',
  'Sec-WebSocket-Extensions: permessage-deflate; client_max_window_bits=99',
  'Sec-WebSocket-Protocol: __proto__, constructor',
  'Sec-WebSocket-Version: 12',
  'Transfer-Encoding: chunked',
  'Content-Length: 99999999999999999999',
  'Expect: 100-continue',
  'Upgrade: h2c',
  `Cookie: ${MARKER}`,
  `User-Agent: ${MARKER}`,
  `__proto__: ${MARKER}`,
] as const;
const METHODS = ['GET', 'POST', 'HEAD', 'OPTIONS', 'CONNECT', 'TRACE', `${MARKER}`] as const;
const PATHS = [
  '/v1/ws',
  `/v1/ws?${MARKER}`,
  '//v1/ws',
  '/v1/ws/',
  '/v1/%77s',
  '/v1/pipe',
  '*',
  '/../v1/ws',
  '/%zz',
  `/${'x'.repeat(9000)}`,
  'http://other.example/v1/ws',
] as const;

/** A request that is nearly an upgrade. Returns the status, 0 when the connection just ended. */
export async function upgrade(port: number, chance: Chance): Promise<number> {
  const socket = new RawSocket({ port });
  socket.write(requestBytes(port, chance));
  if (chance.percent(50)) socket.socket.end();
  await ended(socket, chance);
  const status = socket.ended ? (await socket.upgraded()).status : 0;
  socket.destroy();
  return status;
}

function requestBytes(port: number, chance: Chance): Uint8Array {
  const headers = Array.from({ length: chance.between(0, 5) }, () => chance.pick(ODD_HEADERS));
  const path = chance.percent(70) ? '/v1/ws' : chance.pick(PATHS);
  const text = upgradeRequest({ port, headers, path });
  const method = chance.percent(80) ? 'GET' : chance.pick(METHODS);
  const bytes = new TextEncoder().encode(text.replace('GET', method));
  const kind = chance.between(1, 10);
  if (kind <= 5) return bytes;
  if (kind <= 8) return mutated(bytes, chance);
  // Frames in the same packet as the request, or the same request over and over.
  return kind === 9 ? joined(bytes, chance.bytes(200)) : joined(bytes, bytes, bytes);
}

async function ended(socket: RawSocket, chance: Chance): Promise<void> {
  const patience = setTimeout(() => socket.destroy(), chance.percent(95) ? PATIENCE_MS / 10 : PATIENCE_MS);
  await socket.whenEnded();
  clearTimeout(patience);
  for (const { opcode, payload } of socket.received) {
    if (opcode !== OPCODE.binary) continue;
    if (decodeFrame(payload) === undefined) throw new Error('the relay sent what is no frame');
    if (payload.includes(MARKER)) throw new Error('the relay repeats what was sent');
  }
}
