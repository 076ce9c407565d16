/**
 * A model of a phone: an app made of the client SDK, a screen with notifications, and a push service that brings it what a
 * gateway took for it. What it does with a push is what an app's own extension, service or worker has to do. For end-to-end
 * tests; must not know the relay.
 */
import type { Agent } from '@countersign/agent-sdk';
import {
  type Alert,
  type Client,
  confirmShown,
  openClient,
  openNotification,
  type PushRegistration,
  pair,
  reconcileNotifications,
  type Storage,
} from '@countersign/client-sdk';
import { memoryStorage } from '@countersign/client-sdk/storage/memory';
import type { Gateways } from '../../gateways/index.js';

export type PhonePlatform = 'ios' | 'android' | 'web' | 'unifiedpush' | 'none';

/** What stands on the screen under a tag. */
export interface OnScreen {
  readonly title: string;
  readonly body: string;
  /** Absent where nothing could be read. */
  readonly alert?: Alert | undefined;
}

const GENERIC: OnScreen = { title: 'Countersign', body: 'Action required' };

export class Phone {
  readonly storage: Storage = memoryStorage();
  readonly screen = new Map<string, OnScreen>();
  readonly #gateways: Gateways;
  readonly #platform: PhonePlatform;
  readonly #registration: PushRegistration | undefined;
  readonly deviceName: string;
  #taken = 0;
  #client: Client | undefined;
  #pairingId = '';

  constructor(gateways: Gateways, platform: PhonePlatform, { vapidKey = '', deviceName = 'Phone' } = {}) {
    this.#gateways = gateways;
    this.#platform = platform;
    this.deviceName = deviceName;
    this.#registration = registrationAt(gateways, platform, vapidKey);
  }

  get registration(): PushRegistration | undefined {
    return this.#registration;
  }

  get pairingId(): string {
    return this.#pairingId;
  }

  /** The open app. */
  get client(): Client {
    if (this.#client === undefined) throw new Error('the app is not open');
    return this.#client;
  }

  /** Pairs, with the person at the agent who types the code, and stays open. */
  async pair(agent: Agent): Promise<void> {
    const session = await agent.startPairing();
    const platform = this.#registration?.platform ?? 'ios';
    const { storage } = this;
    const options = { storage, deviceName: this.deviceName, platform, push: this.#registration };
    const pairing = await pair(session.link, options);
    this.#pairingId = pairing.id;
    for await (const { deviceId } of session.devices()) {
      await session.confirm(deviceId, pairing.code);
      break;
    }
    await session.stop();
    await this.open();
  }

  /** The app comes to the front: it connects, and clears from the screen what is over. */
  async open(): Promise<Client> {
    const { storage } = this;
    this.#client = await openClient({ storage, onAlert: (alert) => this.#show(alert) });
    await this.#whenSnapshot(this.#client);
    await this.tidy();
    return this.#client;
  }

  /** The app is swiped away: nothing of it runs. */
  async close(): Promise<void> {
    await this.#client?.close();
    this.#client = undefined;
  }

  /** What stands on the screen is compared with what is known. */
  async tidy(): Promise<void> {
    const shown = [...this.screen].flatMap(([tag, { alert }]) =>
      alert?.requestId === undefined ? [] : [{ tag, requestId: alert.requestId, pairingId: alert.pairingId }],
    );
    for (const change of await reconcileNotifications(shown, this.storage)) {
      if (change.do === 'close') this.screen.delete(change.tag);
      else this.screen.set(change.tag, { ...change.alert, alert: change.alert });
    }
  }

  /** The phone is on: its push service brings what came since. Gives how many. */
  async fetchPushes(): Promise<number> {
    const pushes = this.#delivered().slice(this.#taken);
    this.#taken += pushes.length;
    for (const push of pushes) await this.receive(push);
    return pushes.length;
  }

  /** Always shows something: a push that shows nothing costs an app its right to push. */
  async receive(push: unknown): Promise<void> {
    const alert = await openNotification(push as object, this.storage);
    if (alert === undefined) this.screen.set('generic', GENERIC);
    else await this.#show(alert);
  }

  async #show(alert: Alert): Promise<boolean> {
    this.screen.set(`${alert.pairingId}/${alert.id}`, { ...alert, alert });
    await confirmShown(alert, this.storage);
    return true;
  }

  #delivered(): unknown[] {
    const { apns, fcm, webPush } = this.#gateways;
    const address = addressOf(this.#registration);
    if (this.#platform === 'ios')
      return apns.delivered.items.filter(({ token }) => token === address).map(({ payload }) => payload);
    if (this.#platform === 'android')
      return fcm.delivered.items.filter(({ token }) => token === address).map(({ data }) => data);
    const own = webPush.delivered.items.filter(({ endpoint }) => endpoint === address);
    return own.map(({ plaintext }) => plaintext ?? new Uint8Array());
  }

  #whenSnapshot(client: Client): Promise<void> {
    const came = () =>
      client.inbox
        .get()
        .pairings.every(({ connection, snapshotAt }) => connection === 'online' && snapshotAt);
    return new Promise((resolve) => {
      const look = () => {
        if (!came()) return;
        stop();
        resolve();
      };
      const stop = client.inbox.subscribe(look);
      look();
    });
  }
}

function registrationAt(
  gateways: Gateways,
  platform: PhonePlatform,
  vapidKey: string,
): PushRegistration | undefined {
  if (platform === 'none') return undefined;
  if (platform === 'ios') return { platform, token: gateways.apns.registerDevice() };
  if (platform === 'android') return { platform, token: gateways.fcm.registerDevice() };
  const { endpoint, ...keys } = gateways.webPush.subscribe({ vapidPublicKey: vapidKey });
  return { platform: platform === 'web' ? 'web' : 'android', subscription: { endpoint, keys }, vapidKey };
}

function addressOf(registration: PushRegistration | undefined): string | undefined {
  if (registration === undefined) return undefined;
  return 'token' in registration ? registration.token : registration.subscription.endpoint;
}
