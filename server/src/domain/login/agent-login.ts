/** An agent proves its key and brings or finds its namespace (01 §3, column agent, rows 1–5). */
import type { AuthRole, FrameOf } from '@countersign/protocol';
import { namespaceIdOf } from '@countersign/protocol/auth';
import { inForce } from '../capabilities.js';
import type { RelayContext } from '../context.js';
import type { RegistrationVerdict } from '../registration.js';
import { type LoginOrigin, type LoginRefusal, type LoginResult, refusal } from './login.types.js';
import { checkProof } from './proof.js';
import { tellUntouched } from './untouched.js';

type AgentRole = Extract<AuthRole, { kind: 'agent' }>;

export async function agentLogin(
  context: RelayContext,
  auth: FrameOf<'auth'>,
  role: AgentRole,
  origin: LoginOrigin,
): Promise<LoginResult> {
  const key = role.agentEd25519Pub;
  const refused = checkProof({ role: 'agent', key, signature: auth.signature, challenge: origin.challenge });
  if (refused) return refused;
  const namespaceId = await namespaceIdOf(key);
  const verdict = await register(context, {
    namespaceId,
    agent: key,
    invite: auth.invite,
    prefixes: origin.prefixes,
  });
  if (typeof verdict === 'object') return verdict;
  context.authorizations.hold(namespaceId);
  return {
    kind: 'peer',
    unstored: verdict === 'unstored',
    identity: {
      role: 'agent',
      namespaceId,
      key,
      agent: key,
      old: auth.capabilities.length === 0,
      capabilities: inForce('agent', auth.capabilities),
    },
  };
}

type Candidate = Parameters<RelayContext['registration']['judge']>[0];

async function register(
  context: RelayContext,
  candidate: Candidate,
): Promise<'stored' | 'unstored' | LoginRefusal> {
  const { store, registration, clock, events } = context;
  const { namespaceId, agent } = candidate;
  if (await isKnown(context, candidate)) return 'stored';
  const verdict = registration.judge(candidate, clock.elapsed());
  if (verdict !== 'stored') return verdict === 'unstored' ? verdict : refusalFor(verdict, context);
  const touched = await store.touchNamespace(namespaceId, agent, clock.now(), true);
  if (touched === 'store_full')
    return refusal('agent', 'unavailable', 'this relay has no room for a new agent');
  if (touched === 'created') events.emit({ event: 'namespace_created', namespace: namespaceId });
  return 'stored';
}

/** A store that can be read but not written, on a full disk, lets in whom it knows: what waits can be fetched. */
async function isKnown(context: RelayContext, { namespaceId, agent }: Candidate): Promise<boolean> {
  const { store, clock } = context;
  try {
    return (await store.touchNamespace(namespaceId, agent, clock.now(), false)) !== 'refused';
  } catch (error) {
    tellUntouched(context, error);
    return (await store.agentOf(namespaceId)) !== undefined;
  }
}

function refusalFor(
  verdict: Exclude<RegistrationVerdict, 'stored' | 'unstored'>,
  { settings }: RelayContext,
): LoginRefusal {
  if (verdict === 'rate_limited') {
    return refusal('agent', verdict, 'too many new agents from this address today');
  }
  const message =
    settings.registration === 'invite'
      ? 'this relay registers a new agent only with its invite; its operator prints it with: countersign-relay invite'
      : 'this relay registers only listed agents; its operator adds the key to allowedAgents';
  return refusal('agent', 'unauthorized', message);
}
