/**
 * What a device told at its login, stored once it has its place: nothing that is queued for it from then on can be
 * missed. Must not know how it proved its key.
 */
import { CAPABILITY, WIRE } from '@countersign/protocol';
import type { DeviceTouch } from '../../ports/index.js';
import type { PeerIdentity, RelayContext } from '../context.js';
import type { DeviceFields } from './device-fields.js';
import { tellUntouched } from './untouched.js';

/** What is not stored now comes with the next login; the device may fetch what waits for it all the same. */
export async function recordDevice(
  context: RelayContext,
  { namespaceId, key, capabilities }: PeerIdentity,
  device: DeviceFields,
): Promise<DeviceTouch> {
  const { store, clock, random, pushes } = context;
  try {
    const token = await pushes.judgeToken(namespaceId, key, device);
    const knowsHandle = capabilities.includes(CAPABILITY.pushHandle);
    const newHandle = knowsHandle ? random.bytes(WIRE.pushHandleBytes) : undefined;
    const { platform } = device;
    return await store.touchDevice(namespaceId, key, { ...token, platform, newHandle, now: clock.now() });
  } catch (error) {
    tellUntouched(context, error);
    return { hasQueued: true };
  }
}
