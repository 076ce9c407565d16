/** Namespaces of attackers: logged-in agents, authorized devices, and what is told to them. Must not know limits. */
import { randomBytes } from 'node:crypto';
import { decodeFrame, encodeFrame } from '@countersign/protocol';
import {
  agentRole,
  clientRole,
  type Keys,
  namespaceIdOf,
  newKeys,
  pairingRole,
} from '../../support/relay/raw-peer.js';
import { nextFrame, rawLogin } from '../../support/trials/raw-login.js';
import { frame, OPCODE, type RawSocket } from '../../support/trials/raw-socket.js';
import type { Scene, Tally } from '../attack.js';

/** Nobody else's: for a minute after guesses of a token, no device pairs from the address of the guesser. */
const ATTACKER = '127.0.6.9';

export interface Attackers {
  readonly agent: { readonly socket: RawSocket; readonly keys: Keys };
  readonly devices: readonly Keys[];
  readonly namespaceId: Uint8Array;
}

/** An agent with so many authorized devices, which are not connected. */
export async function attackers({ port }: Scene, count = 1): Promise<Attackers> {
  const keys = newKeys();
  const where = { port, from: ATTACKER };
  const { socket } = await rawLogin(where, keys, agentRole(keys));
  const namespaceId = await namespaceIdOf(keys.publicKey);
  const devices: Keys[] = [];
  while (devices.length < count) {
    const device = newKeys();
    const token = new Uint8Array(randomBytes(32));
    socket.send(encodeFrame({ type: 'pairing_start', pairingToken: token, ttl: 0 }));
    await until(socket, 'pairing_ready');
    const { answer } = await rawLogin(where, device, pairingRole(device, { namespaceId, token }));
    if (answer !== 'auth_ok') throw new Error(`an attacker's device that pairs was answered ${answer}`);
    devices.push(device);
  }
  socket.send(encodeFrame({ type: 'authorize', clients: devices.map(({ publicKey }) => publicKey) }));
  await until(socket, 'authorize_ok');
  return { agent: { socket, keys }, devices, namespaceId };
}

export async function until(socket: RawSocket, type: string): Promise<void> {
  for (;;) {
    const found = await nextFrame(socket);
    if (found === undefined) throw new Error(`an attacker was closed (${socket.closeCode}) before ${type}`);
    if (found.type === type) return;
  }
}

export async function deviceSocket(
  { port }: Scene,
  { namespaceId }: Attackers,
  keys: Keys,
): Promise<RawSocket> {
  const { socket, answer } = await rawLogin(
    { port, from: ATTACKER },
    keys,
    clientRole(keys, { namespaceId }),
  );
  if (answer !== 'auth_ok') throw new Error(`an attacker's device was answered ${answer}`);
  return socket;
}

/** Everything sent so far was dealt with, or the connection has ended. */
export async function settled(socket: RawSocket): Promise<void> {
  const mark = randomBytes(8);
  socket.write(frame(OPCODE.ping, mark));
  await socket.until(
    () =>
      socket.ended ||
      socket.received.some(({ opcode, payload }) => opcode === OPCODE.pong && payload.equals(mark)),
  );
}

/** Takes what came and counts errors and whatever else is no message. */
export function take(socket: RawSocket, tally: Tally): void {
  for (const { opcode, payload } of socket.received.splice(0)) {
    if (opcode !== OPCODE.binary) continue;
    const found = decodeFrame(payload);
    tally.add(found?.type === 'error' ? found.code : (found?.type ?? 'no frame'));
  }
}
