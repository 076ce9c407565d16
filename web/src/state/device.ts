/**
 * The client SDK as signals: the one place of the app that holds keys' storage and connections. Must not know
 * screens.
 */
import {
  type Alert,
  type Client,
  type InboxSnapshot,
  openClient,
  type Pairing,
  pair,
  type Storage,
} from '@countersign/client-sdk';
import { type ReadonlySignal, signal } from '@preact/signals';

export interface DeviceOptions {
  storage: Storage;
  appVersion: string;
  privatePreviews: boolean;
  /** Shows an alert; true once a person can see it. */
  onAlert(alert: Alert): Promise<boolean>;
  /** A relay's VAPID key is no longer the one that this device subscribed under. */
  onPushKey(): void;
}

export interface Device {
  readonly client: Client;
  readonly inbox: ReadonlySignal<InboxSnapshot>;
  readonly pairings: ReadonlySignal<readonly Pairing[]>;
  /** @throws CountersignError as `pair` of the client SDK. */
  pair(link: string, deviceName: string): Promise<Pairing>;
  unpair(pairingId: string): Promise<void>;
}

/** @throws CountersignError what the storage throws. */
export async function openDevice(options: DeviceOptions): Promise<Device> {
  const { storage } = options;
  const client = await openClient(options);
  const inbox = signal(client.inbox.get());
  // At once: what changes while the list below is read must not be missed.
  client.inbox.subscribe((snapshot) => {
    inbox.value = snapshot;
  });
  const pairings = signal<readonly Pairing[]>(await client.pairings.list());
  const reread = async () => {
    pairings.value = await client.pairings.list();
  };
  return {
    client,
    inbox,
    pairings,
    async pair(link, deviceName) {
      const paired = await pair(link, { storage, deviceName, platform: 'web' });
      await client.refreshPairings();
      await reread();
      return paired;
    },
    async unpair(pairingId) {
      await client.pairings.unpair(pairingId);
      await reread();
    },
  };
}
