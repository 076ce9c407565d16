/**
 * A relay that pushes to a local Web Push gateway, an agent, and phones whose subscriptions the gateway holds. Chromium has no
 * push service here: the seam of the app (`PushManager`) is replaced, and what the gateway decrypted is handed to the
 * service worker by the browser's debugging protocol, as if it had come by push.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type RelayConfigInput, type RunningRelay, startRelay } from '@countersign/server';
import type { BrowserContext, CDPSession, Page, Worker } from 'playwright-core';
import { type Gateways, type Subscription, startGateways } from '../../gateways/index.js';
import { providerSettings } from '../../support/push/push-relay.js';
import { AgentProcess } from './agent.js';
import type { Stage } from './stage.js';

/** As a page sees it. */
export interface OnScreen {
  title: string;
  body: string;
  tag: string;
  buttons: string[];
  silent: boolean;
}

export class PushBed {
  readonly gateways: Gateways;
  readonly agent: AgentProcess;
  readonly #stage: Stage;
  readonly #directory: string;
  readonly #config: RelayConfigInput;
  #relay: RunningRelay;

  private constructor(
    stage: Stage,
    gateways: Gateways,
    directory: string,
    config: RelayConfigInput,
    relay: RunningRelay,
  ) {
    this.#stage = stage;
    this.gateways = gateways;
    this.#directory = directory;
    this.#config = { ...config, port: relay.port };
    this.#relay = relay;
    this.agent = AgentProcess.start(`ws://localhost:${relay.port}`, 'Robot');
  }

  static async open(stage: Stage): Promise<PushBed> {
    const gateways = await startGateways();
    const directory = mkdtempSync(join(tmpdir(), 'countersign-browser-push-'));
    const {
      apnsTopic: _,
      apnsKey: _key,
      fcmServiceAccount: _account,
      ...web
    } = providerSettings(gateways, directory);
    const config = { ...web, store: join(directory, 'relay.sqlite'), opsPort: 'off' } as const;
    return new PushBed(stage, gateways, directory, config, await startRelay({ ...config, port: 0 }));
  }

  get origin(): string {
    return `http://localhost:${this.#relay.port}`;
  }

  /** Ends the relay and starts another one at the same address and store. */
  async restart(change: RelayConfigInput = {}): Promise<void> {
    await this.#relay.close();
    this.#relay = await startRelay({ ...this.#config, ...change });
  }

  /** A paired phone with notifications allowed and registered. */
  async phone(): Promise<PushPhone> {
    const context = await this.#stage.lastingPhone({ permissions: ['notifications'] });
    const phone = await PushPhone.open(context, this);
    await this.#stage.pair(phone.app, this.agent);
    await phone.app.evaluate(() => navigator.serviceWorker.ready.then(() => undefined));
    await phone.listen();
    return phone;
  }

  async close(): Promise<void> {
    await this.agent.close();
    await this.#relay.close();
    await this.gateways.close();
    rmSync(this.#directory, { recursive: true, force: true });
  }
}

export class PushPhone {
  readonly context: BrowserContext;
  app: Page;
  /** An empty one: debugging needs a page, also while the app is closed. */
  readonly #beside: Page;
  readonly #bed: PushBed;
  #debugger: CDPSession | undefined;
  #registrationId = '';
  #subscription: Subscription | undefined;
  #taken = 0;
  /** VAPID keys that the app subscribed under. */
  readonly keys: string[] = [];

  private constructor(context: BrowserContext, bed: PushBed, app: Page, beside: Page) {
    this.context = context;
    this.#bed = bed;
    this.app = app;
    this.#beside = beside;
  }

  static async open(context: BrowserContext, bed: PushBed): Promise<PushPhone> {
    const phone = new PushPhone(context, bed, await context.newPage(), await context.newPage());
    await context.exposeBinding('subscriptionAtGateway', (_, key?: string) => phone.#subscribe(key));
    await context.addInitScript(replacePushManager);
    return phone;
  }

  /** The app has registered; finds its worker. */
  async listen(): Promise<void> {
    this.#debugger ??= await this.context.newCDPSession(this.#beside);
    const session = this.#debugger;
    const found = new Promise<string>((resolve) => {
      session.on('ServiceWorker.workerRegistrationUpdated', ({ registrations }) => {
        const ours = registrations.find(
          ({ scopeURL, isDeleted }) => !isDeleted && scopeURL.endsWith('/app/'),
        );
        if (ours !== undefined) resolve(ours.registrationId);
      });
    });
    await session.send('ServiceWorker.enable');
    this.#registrationId = await found;
    await (await this.worker()).evaluate(countWhatIsShown);
  }

  /** The app, open again. */
  async open(hash = ''): Promise<Page> {
    if (this.app.isClosed()) this.app = await this.context.newPage();
    await this.app.goto(`${this.#bed.origin}/app/${hash}`);
    if (hash === '') await this.app.getByTestId('agent-state').filter({ hasText: 'connected' }).waitFor();
    return this.app;
  }

  /** The open app says that pushes reach it. */
  async registered(): Promise<void> {
    await this.app.goto(`${this.#bed.origin}/app/#/settings`);
    await this.app.locator('[data-testid=push-state][data-state=on]').waitFor();
  }

  /** Nothing on the screen, and every push so far forgotten. */
  async clear(): Promise<void> {
    await this.app.close();
    this.#taken = this.pushCount;
    await (await this.worker()).evaluate(closeAll);
  }

  get endpoint(): string {
    return this.#subscription?.endpoint ?? '';
  }

  /** The browser's push service moved. */
  forgetSubscription(): void {
    this.#subscription = undefined;
  }

  async worker(): Promise<Worker> {
    return this.context.serviceWorkers()[0] ?? this.context.waitForEvent('serviceworker');
  }

  /** What the gateway decrypted for this phone and was not fetched yet, at most `max`; waits for the first of it. */
  async pushes(max = Number.POSITIVE_INFINITY): Promise<string[]> {
    const { delivered } = this.#bed.gateways.webPush;
    const mine = () => delivered.items.filter(({ endpoint }) => endpoint === this.endpoint);
    while (mine().length <= this.#taken) await delivered.whenCount(delivered.items.length + 1);
    const fresh = mine().slice(this.#taken, this.#taken + max);
    this.#taken += fresh.length;
    return fresh.map(({ plaintext }) => String(plaintext));
  }

  get pushCount(): number {
    return this.#bed.gateways.webPush.delivered.items.filter(({ endpoint }) => endpoint === this.endpoint)
      .length;
  }

  /** Hands a push to the worker and waits until it has shown something for it. */
  async deliver(data: string): Promise<void> {
    const worker = await this.worker();
    const before = await worker.evaluate(shownCount);
    await this.#debugger?.send('ServiceWorker.deliverPushMessage', {
      origin: `${this.#bed.origin}/`,
      registrationId: this.#registrationId,
      data,
    });
    await poll(async () => (await worker.evaluate(shownCount)) > before);
  }

  /** Delivers what the gateway took until a notification says it; `sealed` is the push that brought it. */
  async told(text: string): Promise<OnScreen & { sealed: string }> {
    for (;;) {
      for (const sealed of await this.pushes(1)) {
        await this.deliver(sealed);
        const found = (await this.screen()).find(({ body }) => body.includes(text));
        if (found !== undefined) return { ...found, sealed };
      }
    }
  }

  async screen(): Promise<OnScreen[]> {
    return (await this.worker()).evaluate(readScreen);
  }

  /** Until the one notification on the screen says it. */
  async screenSays(text: string): Promise<OnScreen> {
    let seen: OnScreen[] = [];
    await poll(async () => {
      seen = await this.screen();
      return seen.some(({ body }) => body.includes(text));
    }).catch(() => {
      throw new Error(`nothing says "${text}": ${JSON.stringify(seen)}`);
    });
    return seen.find(({ body }) => body.includes(text)) as OnScreen;
  }

  /** As a person's tap on a notification, or on one of its buttons. */
  async tap(tag: string, action = ''): Promise<void> {
    await (await this.worker()).evaluate(tapNotification, { tag, action });
  }

  #subscribe(vapidPublicKey?: string): { subscription: Subscription; key: string } | null {
    if (vapidPublicKey !== undefined) {
      this.keys.push(vapidPublicKey);
      this.#subscription = this.#bed.gateways.webPush.subscribe({ vapidPublicKey });
      this.#taken = 0;
    }
    return this.#subscription === undefined
      ? null
      : { subscription: this.#subscription, key: this.keys.at(-1) ?? '' };
  }
}

const POLL_MS = 50;
const PATIENCE_MS = 15_000;

async function poll(holds: () => Promise<boolean>): Promise<void> {
  const end = Date.now() + PATIENCE_MS;
  while (!(await holds())) {
    if (Date.now() > end) throw new Error('it did not come');
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
}

/** In every page, before its scripts. */
function replacePushManager(): void {
  type Held = { subscription: { endpoint: string; p256dh: string; auth: string }; key: string } | null;
  const atGateway = (key?: string) =>
    (globalThis as unknown as { subscriptionAtGateway(key?: string): Promise<Held> }).subscriptionAtGateway(
      key,
    );
  const bytesOf = (text: string) =>
    Uint8Array.from(atob(text.replaceAll('-', '+').replaceAll('_', '/')), (char) => char.charCodeAt(0));
  const asBrowser = (held: Held) =>
    held && {
      options: { applicationServerKey: bytesOf(held.key).buffer, userVisibleOnly: true },
      unsubscribe: async () => true,
      toJSON: () => ({
        endpoint: held.subscription.endpoint,
        keys: { p256dh: held.subscription.p256dh, auth: held.subscription.auth },
      }),
    };
  Object.assign(PushManager.prototype, {
    getSubscription: async () => asBrowser(await atGateway()),
    subscribe: async ({ applicationServerKey }: { applicationServerKey: string }) =>
      asBrowser(await atGateway(applicationServerKey)),
  });
}

/** The worker's globals that are looked at or replaced, and what is noted there. */
interface WorkerSelf {
  shown: number | undefined;
  badges: number[];
  opened: string[];
  registration: ServiceWorkerRegistration;
  navigator: { setAppBadge(count: number): Promise<void>; clearAppBadge(): Promise<void> };
  clients: { openWindow(url: string): Promise<void> };
  WindowClient: { prototype: { focus(this: object): Promise<object> } };
  NotificationEvent: new (type: string, init: object) => Event & { waitUntil(work: unknown): void };
  dispatchEvent(event: Event): boolean;
}

/** In the worker. */
function countWhatIsShown(): void {
  const self = globalThis as unknown as WorkerSelf;
  if (self.shown !== undefined) return;
  self.shown = 0;
  self.badges = [];
  self.opened = [];
  const show = self.registration.showNotification.bind(self.registration);
  self.registration.showNotification = async (title: string, options: object) => {
    await show(title, options);
    self.shown = (self.shown ?? 0) + 1;
  };
  self.navigator.setAppBadge = async (count: number) => void self.badges.push(count);
  self.navigator.clearAppBadge = async () => void self.badges.push(0);
  // Both need a real tap.
  self.clients.openWindow = async (url: string) =>
    void self.opened.push(new URL(url, self.registration.scope).href);
  self.WindowClient.prototype.focus = async function focus() {
    self.opened.push('focus');
    return this;
  };
}

async function readScreen(): Promise<OnScreen[]> {
  const { registration } = globalThis as unknown as { registration: ServiceWorkerRegistration };
  return (await registration.getNotifications()).map((one) => ({
    title: one.title,
    body: one.body,
    tag: one.tag,
    buttons: (one as Notification & { actions: { action: string }[] }).actions.map(({ action }) => action),
    silent: one.silent === true,
  }));
}

async function closeAll(): Promise<void> {
  const { registration } = globalThis as unknown as { registration: ServiceWorkerRegistration };
  for (const one of await registration.getNotifications()) one.close();
}

function shownCount(): number {
  return (globalThis as unknown as { shown: number }).shown;
}

async function tapNotification({ tag, action }: { tag: string; action: string }): Promise<void> {
  const self = globalThis as unknown as WorkerSelf;
  const [notification] = await self.registration.getNotifications({ tag });
  const event = new self.NotificationEvent('notificationclick', { notification, action });
  // Only the browser's own events may be waited for.
  event.waitUntil = () => undefined;
  self.dispatchEvent(event);
}
