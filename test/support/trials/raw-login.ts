/** Logs a {@link RawSocket} in, as an agent, a device or a device that pairs. Must not know what for. */
import { type AuthRole, decodeFrame, encodeFrame, type RelayFrame } from '@countersign/protocol';
import { challengeText, signEd25519 } from '@countersign/protocol/auth';
import type { AuthExtras, Keys } from '../relay/raw-peer.js';
import { RawSocket, type RawSocketOptions } from './raw-socket.js';

export interface RawLogin {
  readonly socket: RawSocket;
  /** HTTP status of the upgrade. */
  readonly status: number;
  /** `auth_ok`, the code of `auth_error`, or what ended it. */
  readonly answer: string;
}

export async function rawLogin(
  options: RawSocketOptions,
  keys: Keys,
  role: AuthRole,
  extras: AuthExtras = {},
): Promise<RawLogin> {
  const { socket, upgraded } = await RawSocket.open(options);
  if (upgraded.status !== 101) return { socket, status: upgraded.status, answer: `http ${upgraded.status}` };
  const challenge = await nextFrame(socket);
  if (challenge?.type !== 'challenge') {
    return { socket, status: 101, answer: challenge?.type === 'auth_error' ? challenge.code : 'ended' };
  }
  const signature = signEd25519(challengeText(challenge.nonce), keys.secretKey);
  socket.send(encodeFrame({ type: 'auth', role, signature, capabilities: ['window'], ...extras }));
  const answer = await nextFrame(socket);
  return {
    socket,
    status: 101,
    answer: answer?.type === 'auth_error' ? answer.code : (answer?.type ?? 'ended'),
  };
}

/** Undefined when the connection ended first, or sent what is no frame. */
export async function nextFrame(socket: RawSocket): Promise<RelayFrame | undefined> {
  const bytes = await socket.message();
  return bytes && decodeFrame(bytes);
}
