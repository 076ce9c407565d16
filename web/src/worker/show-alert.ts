/**
 * Shows what a push brought, or what a hidden page hands over: always something, for browsers withdraw the right to push
 * from a worker that shows nothing. Must not know answers.
 */
import { type Alert, confirmShown, openNotification } from '@countersign/client-sdk';
import { systemLanguage } from '../i18n/system-language.js';
import { itemOf } from '../push/give-shown.js';
import { Messages } from '../state/messages.js';
import { noticeOf, tagOf, unopenedNotice } from './notice.js';
import { peekInbox } from './peek.js';
import { type Opened, type WorkerPorts, withStored } from './ports.js';
import { sayIn } from './words.js';

/** Never rejects while notifications are allowed. */
export async function pushArrived(data: Uint8Array | undefined, ports: WorkerPorts): Promise<void> {
  try {
    await withStored(ports, async (opened) => {
      const alert = data === undefined ? undefined : await openNotification(data, opened.storage);
      await (alert === undefined ? showUnopened(opened, ports) : showPushed(alert, opened, ports));
    });
  } catch {
    // The storage failed, of all things: say at least that there is something.
    const say = sayIn(systemLanguage(navigator.languages));
    await ports.screen.show(unopenedNotice({ badge: 0, isQuiet: false }, say));
  }
}

/** The copy that comes by connection counts as shown from here on: what it says is kept for the app to show as well. */
async function showPushed(alert: Alert, opened: Opened, ports: WorkerPorts): Promise<void> {
  await showAlert(alert, opened, ports);
  if (!alert.seen) await (await Messages.open(opened.database)).take(alert, ports.now());
}

/** True once it stands on the screen. */
export async function alertHandedOver(alert: Alert, ports: WorkerPorts): Promise<boolean> {
  try {
    await withStored(ports, (opened) => showAlert(alert, opened, ports));
    return true;
  } catch {
    return false;
  }
}

async function showAlert(alert: Alert, opened: Opened, { screen, now }: WorkerPorts): Promise<void> {
  const { storage, choices, say } = opened;
  const { pairingId, requestId } = alert;
  const inbox = await peekInbox(storage);
  const about = requestId === undefined ? undefined : { pairingId, requestId };
  const present = {
    item: about && itemOf(inbox, about),
    badge: inbox.badge,
    label: choices.labelOf(pairingId),
    before: about && (await screen.summaryUnder(tagOf(about))),
    now: now(),
    isQuiet: choices.isQuiet,
    takesButtons: screen.takesButtons && choices.mayDecideUnseen,
  };
  await screen.show(noticeOf(alert, present, say));
  await Promise.all([confirmShown(alert, storage), screen.badge(inbox.badge)]);
}

async function showUnopened({ storage, choices, say }: Opened, { screen }: WorkerPorts): Promise<void> {
  const { badge } = await peekInbox(storage);
  await screen.show(unopenedNotice({ badge, isQuiet: choices.isQuiet }, say));
}
