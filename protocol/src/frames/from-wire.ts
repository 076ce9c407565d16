/** From the library's messages to our frames, one line each. Must not know bytes. */
import { toBinary } from '@bufbuild/protobuf';
import type { AuthRole, RelayFrame } from './frame.js';
import {
  type Auth,
  type Message,
  PushHintsSchema,
  type RelayFrame as WireRelayFrame,
} from './gen/relay_pb.js';

type WireFrame = WireRelayFrame['frame'];
type Case = NonNullable<WireFrame['case']>;
type ValueOf<C extends Case> = Extract<WireFrame, { case: C }>['value'];

/** A member that our frames do not have at all when the wire has none. */
function optional<K extends string, V>(key: K, value: V | undefined): { [P in K]?: V } {
  return value === undefined ? {} : ({ [key]: value } as { [P in K]?: V });
}

function roleFromWire(role: Auth['role']): AuthRole {
  if (role.case === undefined) return { kind: 'none' };
  if (role.case === 'agent') return { kind: 'agent', agentEd25519Pub: role.value.agentEd25519Pub };
  const { namespaceId, clientEd25519Pub, deviceToken, platform, app } = role.value;
  const shared = { namespaceId, clientEd25519Pub, deviceToken, platform, ...optional('app', app) };
  if (role.case === 'client') return { kind: 'client', ...shared };
  const { clientX25519Pub, pairingToken } = role.value;
  return { kind: 'pairing', ...shared, clientX25519Pub, pairingToken };
}

function messageFromWire({ ciphertext, nonce, peer, live, ref, push, seq }: Message): RelayFrame {
  const hints = push === undefined ? undefined : toBinary(PushHintsSchema, push);
  const extensions = { ...optional('ref', ref), ...optional('push', hints), ...optional('seq', seq) };
  return { type: 'message', ciphertext, nonce, peer, live, ...extensions };
}

const FROM_WIRE: { readonly [C in Case]: (value: ValueOf<C>) => RelayFrame } = {
  challenge: ({ nonce }) => ({ type: 'challenge', nonce }),
  auth: ({ role, signature, capabilities, invite }) => ({
    type: 'auth',
    role: roleFromWire(role),
    signature,
    capabilities,
    ...optional('invite', invite),
  }),
  authOk: ({ namespaceId, capabilities, pushHandle }) => ({
    type: 'auth_ok',
    namespaceId,
    capabilities,
    ...optional('pushHandle', pushHandle),
  }),
  authError: ({ code, message }) => ({ type: 'auth_error', code, message }),
  authorize: ({ clients }) => ({ type: 'authorize', clients }),
  authorizeOk: ({ authorized }) => ({ type: 'authorize_ok', authorized }),
  pairingStart: ({ pairingToken, ttl }) => ({ type: 'pairing_start', pairingToken, ttl }),
  pairingReady: ({ ttl }) => ({ type: 'pairing_ready', ttl }),
  pairingStop: () => ({ type: 'pairing_stop' }),
  pairingStopOk: () => ({ type: 'pairing_stop_ok' }),
  clientPaired: ({ clientEd25519Pub, clientX25519Pub, platform, window }) => ({
    type: 'client_paired',
    clientEd25519Pub,
    clientX25519Pub,
    platform,
    ...optional('window', window),
  }),
  message: messageFromWire,
  peerOffline: ({ peer, ref }) => ({ type: 'peer_offline', peer, ...optional('ref', ref) }),
  presenceRequest: () => ({ type: 'presence_request' }),
  presenceList: ({ online }) => ({ type: 'presence_list', online }),
  presenceEvent: ({ pubkey, status }) => ({ type: 'presence_event', pubkey, status }),
  error: ({ code, message, ref }) => ({ type: 'error', code, message, ...optional('ref', ref) }),
  accepted: ({ ref }) => ({ type: 'accepted', ref }),
  received: ({ seq }) => ({ type: 'received', seq }),
  pushReport: ({ ref, peer, outcome, detail }) => ({ type: 'push_report', ref, peer, outcome, detail }),
};

export function fromWire(frame: WireFrame): RelayFrame {
  if (frame.case === undefined) return { type: 'empty' };
  return (FROM_WIRE[frame.case] as (value: WireFrame['value']) => RelayFrame)(frame.value);
}
