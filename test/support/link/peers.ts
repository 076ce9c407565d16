/** An agent and a device with fixed keys, and the two ends of their channel. */
import { toHex } from '@countersign/protocol';
import { namespaceIdOf, signEd25519 } from '@countersign/protocol/auth';
import { deriveIdentity, frameBody, type IdentityKeys, suiteV2 } from '@countersign/protocol/e2e';
import type { LinkIdentity, PeerChannel } from '@countersign/protocol/link';

export interface TestPeer {
  readonly keys: IdentityKeys;
  readonly hex: string;
  readonly identity: LinkIdentity;
}

export interface TestPeers {
  readonly agent: TestPeer;
  readonly device: TestPeer;
  readonly namespaceId: Uint8Array;
  /** The agent's end of the channel to the device. */
  readonly atAgent: PeerChannel;
  /** The device's end. */
  readonly atDevice: PeerChannel;
}

export async function makePeers(deviceSeed = 2): Promise<TestPeers> {
  const agentKeys = await deriveIdentity(new Uint8Array(32).fill(1));
  const deviceKeys = await deriveIdentity(new Uint8Array(32).fill(deviceSeed));
  const namespaceId = await namespaceIdOf(agentKeys.ed25519Public);
  const shared = {
    namespaceId,
    agentEd25519: agentKeys.ed25519Public,
    deviceEd25519: deviceKeys.ed25519Public,
  };
  const agentEnd = await suiteV2.open({
    ...shared,
    role: 'agent',
    mySecret: agentKeys.x25519Secret,
    theirPublic: deviceKeys.x25519Public,
  });
  const deviceEnd = await suiteV2.open({
    ...shared,
    role: 'device',
    mySecret: deviceKeys.x25519Secret,
    theirPublic: agentKeys.x25519Public,
  });
  const agent = peerOf('agent', agentKeys, namespaceId);
  const device = peerOf('client', deviceKeys, namespaceId);
  return {
    agent,
    device,
    namespaceId,
    atAgent: { id: `${device.hex}.agent`, peer: device.hex, sealed: agentEnd },
    atDevice: { id: `${agent.hex}.device`, peer: agent.hex, sealed: deviceEnd },
  };
}

function peerOf(role: 'agent' | 'client', keys: IdentityKeys, namespaceId: Uint8Array): TestPeer {
  const { ed25519Public, ed25519Secret } = keys;
  return {
    keys,
    hex: toHex(ed25519Public),
    identity: { role, namespaceId, ed25519Public, sign: (message) => signEd25519(message, ed25519Secret) },
  };
}

/** What a relay delivers when `channel`'s owner queued (or, `live`, sent) this. */
export async function sealedBy(
  channel: PeerChannel,
  sender: TestPeer,
  counter: number,
  payload: unknown,
  live = false,
) {
  const framed = frameBody(JSON.stringify(payload), 'queued');
  const { nonce, ciphertext } = await channel.sealed.seal(counter, framed);
  return { type: 'message', nonce, ciphertext, peer: sender.keys.ed25519Public, live } as const;
}
