/** From our frames to the library's messages, one line each. Must not know bytes. */
import { fromBinary, type MessageInitShape } from '@bufbuild/protobuf';
import type { AuthRole, FrameOf, FrameType, RelayFrame } from './frame.js';
import {
  type AuthSchema,
  type Platform,
  type PresenceStatus,
  PushHintsSchema,
  type RelayFrameSchema,
} from './gen/relay_pb.js';

type WireFrame = NonNullable<MessageInitShape<typeof RelayFrameSchema>['frame']>;
type WireRole = NonNullable<MessageInitShape<typeof AuthSchema>['role']>;

/** A member that is left out when undefined, so that it is absent on the wire. */
function optional<K extends string, V>(key: K, value: V | undefined): { [P in K]?: V } {
  return value === undefined ? {} : ({ [key]: value } as { [P in K]?: V });
}

/** The library refuses lone surrogates; a message to a person must not fail for one. */
function text(value: string): string {
  return value.replace(/\p{Surrogate}/gu, '\ufffd');
}

function optionalText<K extends string>(key: K, value: string | undefined): { [P in K]?: string } {
  return optional(key, value === undefined ? undefined : text(value));
}

function roleToWire(role: AuthRole): WireRole {
  if (role.kind === 'none') return { case: undefined };
  if (role.kind === 'agent') return { case: 'agent', value: { agentEd25519Pub: role.agentEd25519Pub } };
  const shared = {
    namespaceId: role.namespaceId,
    clientEd25519Pub: role.clientEd25519Pub,
    deviceToken: text(role.deviceToken),
    platform: role.platform as Platform,
    ...optionalText('app', role.app),
  };
  if (role.kind === 'client') return { case: 'client', value: shared };
  const { clientX25519Pub, pairingToken } = role;
  return { case: 'pairing', value: { ...shared, clientX25519Pub, pairingToken } };
}

function messageToWire({ ciphertext, nonce, peer, live, ref, push, seq }: FrameOf<'message'>): WireFrame {
  const hints = push === undefined ? undefined : fromBinary(PushHintsSchema, push);
  const extensions = { ...optional('ref', ref), ...optional('push', hints), ...optional('seq', seq) };
  return { case: 'message', value: { ciphertext, nonce, peer, live, ...extensions } };
}

const TO_WIRE: { readonly [T in FrameType]: (frame: FrameOf<T>) => WireFrame } = {
  challenge: ({ nonce }) => ({ case: 'challenge', value: { nonce } }),
  auth: ({ role, signature, capabilities, invite }) => ({
    case: 'auth',
    value: {
      role: roleToWire(role),
      signature,
      capabilities: capabilities.map(text),
      ...optionalText('invite', invite),
    },
  }),
  auth_ok: ({ namespaceId, capabilities, pushHandle }) => ({
    case: 'authOk',
    value: { namespaceId, capabilities: capabilities.map(text), ...optional('pushHandle', pushHandle) },
  }),
  auth_error: ({ code, message }) => ({
    case: 'authError',
    value: { code: text(code), message: text(message) },
  }),
  authorize: ({ clients }) => ({ case: 'authorize', value: { clients: [...clients] } }),
  authorize_ok: ({ authorized }) => ({ case: 'authorizeOk', value: { authorized } }),
  pairing_start: ({ pairingToken, ttl }) => ({ case: 'pairingStart', value: { pairingToken, ttl } }),
  pairing_ready: ({ ttl }) => ({ case: 'pairingReady', value: { ttl } }),
  pairing_stop: () => ({ case: 'pairingStop', value: {} }),
  pairing_stop_ok: () => ({ case: 'pairingStopOk', value: {} }),
  client_paired: ({ clientEd25519Pub, clientX25519Pub, platform, window }) => ({
    case: 'clientPaired',
    value: {
      clientEd25519Pub,
      clientX25519Pub,
      platform: platform as Platform,
      ...optional('window', window),
    },
  }),
  message: messageToWire,
  peer_offline: ({ peer, ref }) => ({ case: 'peerOffline', value: { peer, ...optional('ref', ref) } }),
  presence_request: () => ({ case: 'presenceRequest', value: {} }),
  presence_list: ({ online }) => ({ case: 'presenceList', value: { online: [...online] } }),
  presence_event: ({ pubkey, status }) => ({
    case: 'presenceEvent',
    value: { pubkey, status: status as PresenceStatus },
  }),
  error: ({ code, message, ref }) => ({
    case: 'error',
    value: { code: text(code), message: text(message), ...optional('ref', ref) },
  }),
  accepted: ({ ref }) => ({ case: 'accepted', value: { ref } }),
  received: ({ seq }) => ({ case: 'received', value: { seq } }),
  push_report: ({ ref, peer, outcome, detail }) => ({
    case: 'pushReport',
    value: { ref, peer, outcome: text(outcome), detail: text(detail) },
  }),
  empty: () => ({ case: undefined }),
};

export function toWire(frame: RelayFrame): WireFrame {
  return (TO_WIRE[frame.type] as (frame: RelayFrame) => WireFrame)(frame);
}
