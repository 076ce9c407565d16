/** Logs raw sockets in at a relay. Must not know what is measured afterwards. */
import { type AuthRole, decodeFrame, encodeFrame, type RelayFrame } from '@countersign/protocol';
import { challengeText } from '@countersign/protocol/auth';
import { type SigningKey, signWith } from './keys.js';
import { RawSocket } from './raw-socket.js';
import type { Namespace } from './world.js';

const CAPABILITIES = ['ref', 'received', 'window'];
const PLATFORM_WEB = 3;

export interface LoggedIn {
  readonly socket: RawSocket;
  readonly capabilities: readonly string[];
}

export function loginAgent(port: number, { agent }: Namespace): Promise<LoggedIn> {
  return login(port, agent, { kind: 'agent', agentEd25519Pub: agent.publicKey });
}

export function loginDevice(port: number, { id }: Namespace, device: SigningKey): Promise<LoggedIn> {
  return login(port, device, deviceRole(id, device));
}

export function deviceRole(namespaceId: Uint8Array, { publicKey }: SigningKey): AuthRole {
  return {
    kind: 'client',
    namespaceId,
    clientEd25519Pub: publicKey,
    deviceToken: '',
    platform: PLATFORM_WEB,
  };
}

async function login(port: number, key: SigningKey, role: AuthRole): Promise<LoggedIn> {
  const socket = await RawSocket.open(port);
  socket.send(authOf(key, role, await challengeOf(socket)));
  const answer = frameOf(await socket.next());
  if (answer.type !== 'auth_ok') throw new Error(`the login was answered with ${describe(answer)}`);
  return { socket, capabilities: answer.capabilities };
}

/** The nonce to sign, of a socket that was just opened. */
export async function challengeOf(socket: RawSocket): Promise<Uint8Array> {
  const challenge = frameOf(await socket.next());
  if (challenge.type !== 'challenge') throw new Error(`a challenge was due, not ${challenge.type}`);
  return challenge.nonce;
}

export function authOf(key: SigningKey, role: AuthRole, nonce: Uint8Array): Uint8Array {
  const signature = signWith(key, challengeText(nonce));
  return encodeFrame({ type: 'auth', role, signature, capabilities: CAPABILITIES });
}

function frameOf(bytes: Buffer): RelayFrame {
  const frame = decodeFrame(bytes);
  if (frame === undefined) throw new Error('the relay sent no frame');
  return frame;
}

function describe(frame: RelayFrame): string {
  return frame.type === 'auth_error' ? `${frame.type} ${frame.code}` : frame.type;
}
