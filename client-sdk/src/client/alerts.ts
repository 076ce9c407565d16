/**
 * Shows alerts to the person and remembers which were shown (03 §6). Must not know sockets.
 */
import type { Alert, ClientLogger } from '../api.js';
import {
  type AlertRecord,
  type InboxState,
  readAlert,
  readSnapshot,
  type SnapshotRecord,
} from '../inbox/inbox-records.js';
import { markShown, publicAlert } from '../inbox/read-notification.js';
import type { Storage } from '../storage/storage.js';
import { readPairing } from './pairing-record.js';

export interface AlertPorts {
  readonly storage: Storage;
  readonly logger: ClientLogger | undefined;
  onAlert(alert: Alert): Promise<boolean>;
}

interface Showing {
  readonly running: Promise<boolean>;
  /** The look after it. */
  next: Promise<boolean> | undefined;
}

export class Alerts {
  readonly #ports: AlertPorts;
  readonly #showing = new Map<string, Showing>();

  constructor(ports: AlertPorts) {
    this.#ports = ports;
  }

  /**
   * Shows an alert unless it was shown: a duplicate of one nobody saw is shown now. True: there is nothing (more) to
   * show. False: the host could not show it, so that a push should come, and the next start shows it. Never rejects.
   */
  show(pairingId: string, key: string, verdict: 'new' | 'duplicate'): Promise<boolean> {
    const name = `${pairingId}/${key}`;
    const attempt = () => this.#attempt(pairingId, key, verdict === 'duplicate');
    const present = this.#showing.get(name);
    if (present !== undefined) {
      // A newer one may have taken its place meanwhile. However many come, they are looked at once.
      present.next ??= present.running.then(attempt);
      return present.next;
    }
    const running = attempt().finally(() => this.#showing.delete(name));
    this.#showing.set(name, { running, next: undefined });
    return running;
  }

  async #attempt(pairingId: string, key: string, seen: boolean): Promise<boolean> {
    try {
      return await this.#show(pairingId, key, seen);
    } catch {
      this.#ports.logger?.warn('alert_not_shown', {});
      return false;
    }
  }

  async #show(pairingId: string, key: string, seen: boolean): Promise<boolean> {
    const { storage } = this.#ports;
    const [record, pairing, snapshot] = await storage.transaction(
      async (tx) =>
        [
          await readAlert(tx, pairingId, key),
          await readPairing(tx, pairingId),
          await readSnapshot(tx, pairingId),
        ] as const,
    );
    if (record === undefined || pairing === undefined || record.shown) return true;
    // Its item has ended, and nothing replaced it: there is nothing to look at (03 §6).
    if (!record.ended && isOver(record, snapshot)) return true;
    const from = { pairingId, agentName: pairing.agentName };
    const isShown = await this.#ports.onAlert(publicAlert(record, from, seen));
    if (isShown) await storage.transaction((tx) => markShown(tx, pairingId, record));
    return isShown;
  }
}

/** Alerts a crash kept from being shown, oldest first; those whose item has ended have nothing more to say. */
export function notYetShown({ alerts, snapshot }: InboxState): AlertRecord[] {
  const due = alerts.filter((alert) => !alert.shown && !alert.ended && !isOver(alert, snapshot));
  return due.toSorted((a, b) => a.counter - b.counter);
}

/** A newer snapshot lacks the item. */
function isOver(alert: AlertRecord, snapshot: SnapshotRecord | undefined): boolean {
  if (alert.requestId === undefined || snapshot === undefined || snapshot.counter <= alert.counter)
    return false;
  return !snapshot.items.some((item) => item.requestId === alert.requestId);
}
