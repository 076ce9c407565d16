/** `authorize`: the agent's whole list of devices, applied in one transaction (01 §4). */
import { type FrameOf, WIRE } from '@countersign/protocol';
import type { BucketSize } from '../admission/token-bucket.js';
import type { PeerSession } from '../session/peer-session.js';
import type { RelaySettings } from '../settings.js';

export async function authorize(session: PeerSession, { clients }: FrameOf<'authorize'>): Promise<void> {
  const { context, peer } = session;
  const limit = context.settings.maxAuthorizedDevices;
  if (clients.length > limit)
    return session.refuse('bad_request', `at most ${limit} devices may be authorized`);
  if (clients.some((key) => key.length !== WIRE.ed25519PublicBytes)) {
    return session.refuse('bad_request', 'a device key must have 32 bytes');
  }
  if (session.unstored) return session.send({ type: 'authorize_ok', authorized: 0 });
  const devices = clients.map((key) => key.slice());
  const result = await context.store.applyAuthorize(peer.namespaceId, devices, context.clock.now());
  context.authorizations.changed(peer.namespaceId);
  for (const device of result.revoked) context.bus.revoke(peer.namespaceId, device);
  // What was to be pushed to them never will be.
  if (result.revoked.length > 0) context.bus.reports(peer.namespaceId, peer.key);
  session.resizeBucket(bucketOf(context.settings, result.authorized));
  const { authorized, revoked } = result;
  context.events.emit({
    event: 'authorized',
    namespace: peer.namespaceId,
    devices: authorized,
    revoked: revoked.length,
  });
  session.send({ type: 'authorize_ok', authorized });
}

/** An agent's bucket grows with its devices (01 §6). */
export function bucketOf(settings: RelaySettings, devices: number): BucketSize {
  return {
    burst: settings.bucketMessages + settings.bucketMessagesPerDevice * devices,
    perSecond: settings.bucketMessagesPerSecond + settings.bucketMessagesPerSecondPerDevice * devices,
  };
}
