/** A paired device proves its key and its authorization (01 §3, column client, rows 1–8). */
import { type AuthRole, CAPABILITY, type FrameOf, WIRE } from '@countersign/protocol';
import { inForce } from '../capabilities.js';
import type { RelayContext } from '../context.js';
import { checkDevice } from './device-fields.js';
import { type LoginOrigin, type LoginResult, refusal } from './login.types.js';
import { checkProof } from './proof.js';
import { tellUntouched } from './untouched.js';

type ClientRole = Extract<AuthRole, { kind: 'client' }>;

export async function clientLogin(
  context: RelayContext,
  auth: FrameOf<'auth'>,
  role: ClientRole,
  origin: LoginOrigin,
): Promise<LoginResult> {
  const { store } = context;
  const { namespaceId, clientEd25519Pub: key } = role;
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
  const capabilities = inForce('client', auth.capabilities);
  const pushHandle = await touch(context, role, capabilities.includes(CAPABILITY.pushHandle));
  const old = auth.capabilities.length === 0;
  return {
    kind: 'peer',
    unstored: false,
    pushHandle,
    identity: { role: 'client', namespaceId, key, agent, old, capabilities },
  };
}

/**
 * What is not stored now comes with the next login; the device may fetch what waits for it all the same. Returns the name
 * of its registration in pushes, for one that knows such names.
 */
async function touch(
  context: RelayContext,
  role: ClientRole,
  knowsHandle: boolean,
): Promise<Uint8Array | undefined> {
  const { namespaceId, clientEd25519Pub: key, platform } = role;
  const { store, clock, random, pushes } = context;
  try {
    const token = await pushes.judgeToken(namespaceId, key, role);
    const newHandle = knowsHandle ? random.bytes(WIRE.pushHandleBytes) : undefined;
    const login = { ...token, platform, newHandle, now: clock.now() };
    return (await store.touchDevice(namespaceId, key, login)).handle;
  } catch (error) {
    tellUntouched(context, error);
    return undefined;
  }
}

function checkNamespace(namespaceId: Uint8Array) {
  if (namespaceId.length === WIRE.namespaceIdBytes) return undefined;
  return refusal('client', 'bad_request', 'the namespace id must have 32 bytes');
}
