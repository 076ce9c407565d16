/**
 * A new device shows the token of a pairing window and becomes pending (01 §3, column pairing, rows 1–10). A
 * wrong token never closes a window; it is charged to the caller's address.
 */
import { type AuthRole, type FrameOf, WIRE } from '@countersign/protocol';
import { windowOf } from '@countersign/protocol/auth';
import type { PushToken } from '../../ports/index.js';
import { inForce } from '../capabilities.js';
import type { RelayContext } from '../context.js';
import { hashToken } from '../pairing-token.js';
import { checkDevice } from './device-fields.js';
import { type LoginOrigin, type LoginRefusal, type LoginResult, refusal } from './login.types.js';
import { checkProof } from './proof.js';

type PairingRole = Extract<AuthRole, { kind: 'pairing' }>;

export async function pairingLogin(
  context: RelayContext,
  auth: FrameOf<'auth'>,
  role: PairingRole,
  origin: LoginOrigin,
): Promise<LoginResult> {
  const refused =
    checkProof({
      role: 'pairing',
      key: role.clientEd25519Pub,
      signature: auth.signature,
      challenge: origin.challenge,
    }) ??
    checkLengths(role) ??
    checkDevice('pairing', role);
  if (refused) return refused;
  const agent = await context.store.agentOf(role.namespaceId);
  if (agent === undefined) return refusal('pairing', 'not_found', 'this relay does not know the agent');
  return consume(context, role, agent, inForce('pairing', auth.capabilities), origin);
}

async function consume(
  context: RelayContext,
  role: PairingRole,
  agent: Uint8Array,
  capabilities: readonly string[],
  { prefixes }: LoginOrigin,
): Promise<LoginResult> {
  const { wrongTokens, clock } = context;
  const chargedAt = clock.elapsed();
  if (wrongTokens.waitMs(prefixes, chargedAt) > 0) {
    return refusal(
      'pairing',
      'rate_limited',
      'too many wrong pairing tokens from this address; wait a minute',
    );
  }
  // Charged before the store is asked, so that many guesses at once count too.
  wrongTokens.charge(prefixes, chargedAt);
  const device = await deviceOf(role);
  const token = await context.pushes.judgeToken(role.namespaceId, role.clientEd25519Pub, role);
  const result = await context.store.consumePairingToken(attemptOf(context, role, device.window, token), {
    authorizedDevices: context.settings.maxAuthorizedDevices,
    pendingDevices: context.settings.maxPendingDevices,
  });
  if (result === 'closed') {
    return refusal('pairing', 'pairing_closed', 'the pairing code is wrong, used or expired');
  }
  wrongTokens.refund(prefixes, chargedAt);
  if (result === 'no_namespace') return refusal('pairing', 'not_found', 'this relay does not know the agent');
  const { namespaceId } = role;
  return { kind: 'pairing', namespaceId, agent, device, capabilities, again: result === 'repeated' };
}

async function deviceOf(role: PairingRole) {
  return {
    ed25519: role.clientEd25519Pub,
    x25519: role.clientX25519Pub,
    platform: role.platform,
    window: await windowOf(role.pairingToken),
  };
}

function attemptOf({ hash, clock }: RelayContext, role: PairingRole, window: Uint8Array, token: PushToken) {
  return {
    ...token,
    namespaceId: role.namespaceId,
    tokenHash: hashToken(hash, role.pairingToken),
    window,
    ed25519: role.clientEd25519Pub,
    x25519: role.clientX25519Pub,
    platform: role.platform,
    now: clock.now(),
  };
}

function checkLengths(role: PairingRole): LoginRefusal | undefined {
  if (role.namespaceId.length !== WIRE.namespaceIdBytes) {
    return refusal('pairing', 'bad_request', 'the namespace id must have 32 bytes');
  }
  if (role.clientX25519Pub.length !== WIRE.x25519PublicBytes) {
    return refusal('pairing', 'bad_request', 'the X25519 key must have 32 bytes');
  }
  if (role.pairingToken.length !== WIRE.pairingTokenBytes) {
    return refusal('pairing', 'bad_request', 'the pairing token must have 32 bytes');
  }
  return undefined;
}
