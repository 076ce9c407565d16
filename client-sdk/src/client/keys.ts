/** From a stored pairing to usable keys. Must not know sockets or storage layout. */

import { fromHex, toHex } from '@countersign/protocol';
import { signEd25519 } from '@countersign/protocol/auth';
import { deriveIdentity, type IdentityKeys, suiteV2 } from '@countersign/protocol/e2e';
import type { PeerChannel } from '@countersign/protocol/link';
import type { Storage } from '../storage/storage.js';
import type { PairingKeys } from './pairing-record.js';

export interface DeviceKeys {
  readonly namespaceId: Uint8Array;
  readonly identity: IdentityKeys;
  /** The agent's Ed25519 key as hex: its name as a peer. */
  readonly agent: string;
  readonly channel: PeerChannel;
  sign(message: Uint8Array): Uint8Array;
}

/** @throws CountersignError `state_corrupt` when the seed cannot be opened. */
export async function openKeys(storage: Storage, record: PairingKeys): Promise<DeviceKeys> {
  const seed = await storage.reveal(record.seed);
  const identity = await deriveIdentity(seed);
  seed.fill(0);
  const namespaceId = fromHex(record.namespaceId, 32) as Uint8Array;
  const sealed = await suiteV2.open({
    role: 'device',
    namespaceId,
    agentEd25519: record.agentEd25519,
    deviceEd25519: identity.ed25519Public,
    mySecret: identity.x25519Secret,
    theirPublic: record.agentX25519,
  });
  const agent = toHex(record.agentEd25519);
  const id = channelId(agent, identity.x25519Public);
  return {
    namespaceId,
    identity,
    agent,
    channel: { id, peer: agent, sealed },
    sign: (message) => signEd25519(message, identity.ed25519Secret),
  };
}

function channelId(agent: string, ownX25519: Uint8Array): string {
  return `${agent}.${toHex(ownX25519).slice(0, 16)}`;
}
