/** Puts the app together: storages, SDK, settings. The only file that names them all. */
import { indexedDbStorage } from '@countersign/client-sdk/storage/indexeddb';
import { effect } from '@preact/signals';
import { setLanguage } from '../i18n/i18n.js';
import { listenToWorker } from '../push/from-worker.js';
import { keepPush } from '../push/keep-push.js';
import type { Push } from '../push/push.js';
import { tidyScreen } from '../push/tidy-screen.js';
import { showByWorker } from '../push/to-worker.js';
import { Agents } from '../state/agents.js';
import { startClock } from '../state/clock.js';
import { openAppDatabase } from '../state/database.js';
import { openDevice } from '../state/device.js';
import { History } from '../state/history.js';
import { Lock, relockWhenHidden } from '../state/lock.js';
import { Messages } from '../state/messages.js';
import { openRoute } from '../state/route.js';
import { Settings } from '../state/settings.js';
import { soundOnNew, toneChime } from '../state/sound.js';
import { watchTabs } from '../state/tabs.js';
import { applyLook } from '../theme/apply-look.js';
import type { App } from './app.types.js';
import { keepTitle } from './keep-title.js';
import { registerWorker } from './register-worker.js';
import { APP_VERSION } from './version.js';

/** @throws CountersignError or DOMException when the browser denies storage. */
export async function openApp(): Promise<App> {
  const database = await openAppDatabase();
  const [settings, history, messages, lock, agents, storage] = await Promise.all([
    Settings.open(database),
    History.open(database),
    Messages.open(database),
    Lock.open(database),
    Agents.open(database),
    indexedDbStorage(),
  ]);
  effect(() => applyLook(settings.values.value));
  effect(() => {
    // Words that cannot be fetched leave those that are here.
    setLanguage(settings.values.value.language).catch(() => undefined);
  });
  let push: Push | undefined;
  const device = await openDevice({
    storage,
    appVersion: `web ${APP_VERSION}`,
    privatePreviews: settings.values.value.privatePreviews,
    // A hidden page lets the worker show it. Where that cannot be, the alert stays unconfirmed, and comes by push or at
    // the next look (03 §6).
    async onAlert(alert) {
      if (document.visibilityState !== 'visible' && !(await showByWorker(alert))) return false;
      await messages.take(alert, Date.now());
      return true;
    },
    onPushKey: () => void push?.refresh(),
  });
  const route = openRoute();
  push = keepPush(device);
  tidyScreen(device, storage);
  if ('serviceWorker' in navigator) {
    const { client, inbox } = device;
    const subscriptionChanged = () => void push.refresh();
    const now = () => Date.now();
    listenToWorker(navigator.serviceWorker, { client, inbox, history, route, now, subscriptionChanged });
  }
  effect(() => {
    void device.inbox.value;
    // A full database loses only what became of an answer; the agent knows it.
    history.follow(device).catch(() => undefined);
  });
  const tabs = watchTabs(async () => {
    await device.client.close();
    await storage.close();
  });
  relockWhenHidden(lock);
  soundOnNew(device, settings, toneChime);
  keepTitle(device);
  registerWorker();
  return { device, agents, history, lock, messages, settings, push, route, clock: startClock(), tabs };
}
