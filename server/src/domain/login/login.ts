/** The first frame of a connection, judged in the order of 01 §3. Must not know sockets. */
import { type AuthRole, decodeFrame, type FrameOf } from '@countersign/protocol';
import { areWithinLimits } from '../capabilities.js';
import type { RelayContext } from '../context.js';
import { agentLogin } from './agent-login.js';
import { clientLogin } from './client-login.js';
import { type LoginOrigin, type LoginResult, refusal } from './login.types.js';
import { pairingLogin } from './pairing-login.js';

/** @throws CountersignError `unavailable` when the store cannot do its work. */
export async function login(
  context: RelayContext,
  data: Uint8Array,
  binary: boolean,
  origin: LoginOrigin,
): Promise<LoginResult> {
  if (!binary) return refusal('unknown', 'bad_request', 'frames are binary');
  if (data.length > context.settings.maxQueuedFrameBytes) {
    return refusal('unknown', 'bad_request', 'the frame is too large before a login');
  }
  // A copy: keys of this frame are kept and must not hold on to the network's large buffer.
  const auth = decodeFrame(data.slice());
  if (auth?.type !== 'auth') return refusal('unknown', 'bad_request', 'the first frame must be auth');
  if (!areWithinLimits(auth.capabilities)) {
    return refusal('unknown', 'bad_request', 'at most 16 capabilities of 32 bytes');
  }
  return byRole(context, auth, auth.role, origin);
}

function byRole(
  context: RelayContext,
  auth: FrameOf<'auth'>,
  role: AuthRole,
  origin: LoginOrigin,
): LoginResult | Promise<LoginResult> {
  switch (role.kind) {
    case 'agent':
      return agentLogin(context, auth, role, origin);
    case 'client':
      return clientLogin(context, auth, role, origin);
    case 'pairing':
      return pairingLogin(context, auth, role, origin);
    default:
      return refusal('unknown', 'bad_request', 'auth names no role');
  }
}
