/**
 * Whether notifications reach this device, and what makes them: permission, a subscription under the relay's key, and every
 * relay told of it. Browsers change subscriptions unasked, so all of it is looked at again at every start and whenever the
 * SDK finds another key. Must not know screens.
 */
import type { Client, Pairing, PushInfo } from '@countersign/client-sdk';
import { type ReadonlySignal, signal } from '@preact/signals';
import type { PushService } from './browser-push.js';
import type { Subscribed } from './subscription.js';

export const PUSH_STATES = [
  /** Looked at just now. */
  'checking',
  'unsupported',
  'home_screen',
  'default',
  'denied',
  'on',
  /** The relay sends no pushes. */
  'no_relay_push',
  /** Relays with different keys: one browser has one subscription. */
  'partly',
  'failed',
] as const;
export type PushState = (typeof PUSH_STATES)[number];

export interface PushPorts {
  readonly service: PushService;
  readonly client: Pick<Client, 'registerPush'>;
  pairings(): readonly Pairing[];
  /** Undefined from a relay that pushes to nobody this way. */
  fetchInfo(relayUrl: string): Promise<PushInfo | undefined>;
}

export class Push {
  readonly state: ReadonlySignal<PushState>;
  readonly #state = signal<PushState>('checking');
  readonly #ports: PushPorts;
  #running: Promise<void> = Promise.resolve();

  constructor(ports: PushPorts) {
    this.#ports = ports;
    this.state = this.#state;
  }

  /** From a tap. */
  async turnOn(): Promise<void> {
    if (this.#ports.service.support === 'yes') await this.#ports.service.ask();
    await this.refresh();
  }

  /** One after the other: two of them at once would take each other's subscription away. */
  refresh(): Promise<void> {
    this.#running = this.#running.then(async () => {
      this.#state.value = await this.#look().catch((): PushState => 'failed');
    });
    return this.#running;
  }

  async #look(): Promise<PushState> {
    const { service } = this.#ports;
    if (service.support !== 'yes') return service.support === 'no' ? 'unsupported' : 'home_screen';
    const permission = service.permission();
    if (permission !== 'granted') return permission;
    return this.#register();
  }

  async #register(): Promise<PushState> {
    const { pairings, fetchInfo, client } = this.#ports;
    const relays = [...new Set(pairings().map(({ relayUrl }) => relayUrl))];
    const infos = await Promise.all(relays.map((relay) => fetchInfo(relay)));
    const keys = new Map(relays.map((relay, at) => [relay, infos[at]?.vapidKey]));
    const wanted = [...keys.values()].filter((key) => key !== undefined);
    const current = await this.#ports.service.current();
    // The one that is there is kept while a relay still has its key.
    const vapidKey = wanted.find((key) => key === current?.vapidKey) ?? wanted[0];
    if (vapidKey === undefined) return 'no_relay_push';
    const { subscription } = await this.#subscribed(vapidKey, current);
    const reached = pairings().filter(({ relayUrl }) => keys.get(relayUrl) === vapidKey);
    for (const { id } of reached) await client.registerPush({ platform: 'web', subscription, vapidKey }, id);
    return reached.length === pairings().length ? 'on' : 'partly';
  }

  async #subscribed(vapidKey: string, current: Subscribed | undefined): Promise<Subscribed> {
    return current?.vapidKey === vapidKey ? current : this.#ports.service.subscribe(vapidKey);
  }
}
