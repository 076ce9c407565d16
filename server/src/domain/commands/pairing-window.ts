/** `pairing_start` and `pairing_stop`: the one window through which new devices come (01 §4). */
import { type FrameOf, WIRE } from '@countersign/protocol';
import { hashToken } from '../pairing-token.js';
import type { PeerSession } from '../session/peer-session.js';

export async function startPairing(
  session: PeerSession,
  { pairingToken, ttl }: FrameOf<'pairing_start'>,
): Promise<void> {
  const { store, hash, clock, settings } = session.context;
  const { namespaceId } = session.peer;
  if (pairingToken.length !== WIRE.pairingTokenBytes) {
    return session.refuse('bad_request', 'the pairing token must have 32 bytes');
  }
  if (session.unstored && !(await storeNamespace(session))) {
    return session.refuse('unavailable', 'this relay has no room for a new agent');
  }
  const seconds = Math.min(ttl === 0 ? settings.pairingTtlSeconds : ttl, settings.maxPairingTtlSeconds);
  await store.openPairingWindow(namespaceId, hashToken(hash, pairingToken), clock.now() + seconds * 1000);
  session.send({ type: 'pairing_ready', ttl: seconds });
}

export async function stopPairing(session: PeerSession): Promise<void> {
  if (!session.unstored) await session.context.store.closePairingWindow(session.peer.namespaceId);
  session.send({ type: 'pairing_stop_ok' });
}

async function storeNamespace(session: PeerSession): Promise<boolean> {
  const { store, clock, events } = session.context;
  const { namespaceId, agent } = session.peer;
  const touched = await store.touchNamespace(namespaceId, agent, clock.now(), true);
  if (touched === 'created') events.emit({ event: 'namespace_created', namespace: namespaceId });
  if (touched !== 'store_full') session.unstored = false;
  return !session.unstored;
}
