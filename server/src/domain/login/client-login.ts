/** A paired device proves its key and its authorization (01 §3, column client, rows 1–8). */
import { type AuthRole, type FrameOf, WIRE } from '@countersign/protocol';
import { inForce } from '../capabilities.js';
import type { RelayContext } from '../context.js';
import { checkDevice } from './device-fields.js';
import { type LoginOrigin, type LoginResult, refusal } from './login.types.js';
import { checkProof } from './proof.js';

type ClientRole = Extract<AuthRole, { kind: 'client' }>;

export async function clientLogin(
  { store, clock }: RelayContext,
  auth: FrameOf<'auth'>,
  role: ClientRole,
  origin: LoginOrigin,
): Promise<LoginResult> {
  const { namespaceId, clientEd25519Pub: key, deviceToken, platform, app } = role;
  const refused =
    checkProof({ role: 'client', key, signature: auth.signature, challenge: origin.challenge }) ??
    checkNamespace(namespaceId) ??
    checkDevice('client', role);
  if (refused) return refused;
  const agent = await store.agentOf(namespaceId);
  if (agent === undefined)
    return refusal('client', 'not_found', 'this relay does not know the agent; pair again');
  if ((await store.deviceState(namespaceId, key)) !== 'authorized') {
    return refusal('client', 'unauthorized', 'the agent has not confirmed this device, or has revoked it');
  }
  await store.touchDevice(namespaceId, key, { deviceToken, app, platform, now: clock.now() });
  const capabilities = inForce(auth.capabilities);
  const old = auth.capabilities.length === 0;
  return {
    kind: 'peer',
    unstored: false,
    identity: { role: 'client', namespaceId, key, agent, old, capabilities },
  };
}

function checkNamespace(namespaceId: Uint8Array) {
  if (namespaceId.length === WIRE.namespaceIdBytes) return undefined;
  return refusal('client', 'bad_request', 'the namespace id must have 32 bytes');
}
