/**
 * What a peer says of itself in `auth` (01 §2, §3). Must not know sockets or signatures.
 */
import { type AuthRole, CAPABILITY, CountersignError, PLATFORM, parseUrl } from '../frames/index.js';
import type { LinkIdentity, LinkOptions, PairingLogin } from './link.types.js';

/**
 * What both roles understand. For a device `window` changes nothing but that it counts as no old peer: `live`
 * reaches it as sent, and the relay's answer tells it from an original relay.
 */
const COMMON: readonly string[] = [CAPABILITY.ref, CAPABILITY.received, CAPABILITY.window];

/** What a peer announces, by its role. */
export const CAPABILITIES: Readonly<Record<LinkIdentity['role'], readonly string[]>> = {
  agent: [...COMMON, CAPABILITY.pushHints, CAPABILITY.pushReport],
  client: [...COMMON, CAPABILITY.pushHandle],
};

export function roleOf<Tx>({ identity, platform, pushTarget }: LinkOptions<Tx>): AuthRole {
  if (identity.role === 'agent') return { kind: 'agent', agentEd25519Pub: identity.ed25519Public };
  const { deviceToken = '', app } = pushTarget?.() ?? {};
  return {
    kind: 'client',
    namespaceId: identity.namespaceId,
    clientEd25519Pub: identity.ed25519Public,
    deviceToken,
    platform: platform ?? PLATFORM.web,
    ...(app === undefined ? {} : { app }),
  };
}

export function pairingRoleOf(login: PairingLogin): AuthRole {
  return {
    kind: 'pairing',
    namespaceId: login.namespaceId,
    clientEd25519Pub: login.deviceEd25519,
    clientX25519Pub: login.deviceX25519,
    pairingToken: login.pairingToken,
    deviceToken: login.deviceToken ?? '',
    platform: login.platform,
    ...(login.app === undefined ? {} : { app: login.app }),
  };
}

/** @throws CountersignError `invalid_request` unless it is `ws://` or `wss://`. */
export function checkRelayUrl(relayUrl: string): void {
  const protocol = parseUrl(relayUrl)?.protocol;
  if (protocol === 'ws:' || protocol === 'wss:') return;
  throw new CountersignError('invalid_request', 'The address of a relay begins with ws:// or wss://');
}
