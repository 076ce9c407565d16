/** A paired device proves its key and its authorization (01 §3, column client, rows 1–8). */
import { type AuthRole, type FrameOf, WIRE } from '@countersign/protocol';
import { inForce } from '../capabilities.js';
import type { RelayContext } from '../context.js';
import { keyOf } from '../keys.js';
import { checkDevice } from './device-fields.js';
import { type LoginOrigin, type LoginResult, refusal } from './login.types.js';
import { checkProof } from './proof.js';

type ClientRole = Extract<AuthRole, { kind: 'client' }>;

export async function clientLogin(
  context: RelayContext,
  auth: FrameOf<'auth'>,
  role: ClientRole,
  origin: LoginOrigin,
): Promise<LoginResult> {
  const { namespaceId, clientEd25519Pub: key } = role;
  const refused =
    checkProof({ role: 'client', key, signature: auth.signature, challenge: origin.challenge }) ??
    checkNamespace(namespaceId) ??
    checkDevice('client', role);
  if (refused) return refused;
  const { authorizations } = context;
  authorizations.hold(namespaceId);
  let isIn = false;
  try {
    const { agent, devices } = await authorizations.household(namespaceId);
    if (agent === undefined)
      return refusal('client', 'not_found', 'this relay does not know the agent; pair again');
    if (!devices.has(keyOf(key)))
      return refusal('client', 'unauthorized', 'the agent has not confirmed this device, or has revoked it');
    isIn = true;
    const capabilities = inForce('client', auth.capabilities);
    const old = auth.capabilities.length === 0;
    const identity = { role: 'client' as const, namespaceId, key, agent, old, capabilities };
    return { kind: 'peer', unstored: false, identity, device: role };
  } finally {
    if (!isIn) authorizations.drop(namespaceId);
  }
}

function checkNamespace(namespaceId: Uint8Array) {
  if (namespaceId.length === WIRE.namespaceIdBytes) return undefined;
  return refusal('client', 'bad_request', 'the namespace id must have 32 bytes');
}
