/**
 * What each payload of an agent does (03): prepared before the receive transaction, applied inside it, announced
 * after it. Must not know sockets.
 */
import { CONTENT } from '@countersign/protocol';
import type { Effect, Incoming } from '@countersign/protocol/link';
import {
  mergeSupports,
  type ReceivedAck,
  type ReceivedInboxUpdate,
  type ReceivedNotification,
  receivePayload,
} from '@countersign/protocol/payloads';
import type { ClientLogger } from '../api.js';
import type { AckEffect } from '../inbox/acks.js';
import type { Answers } from '../inbox/answers.js';
import { readSnapshot, type SnapshotRecord, writeSnapshot } from '../inbox/inbox-records.js';
import { alertOf, applyAlert } from '../inbox/read-notification.js';
import { readUpdate } from '../inbox/read-update.js';
import type { StorageTx } from '../storage/storage.js';
import { changePairing } from './pairing-record.js';

export interface EffectPorts {
  readonly pairingId: string;
  readonly namespaceId: string;
  readonly answers: Answers;
  readonly logger: ClientLogger | undefined;
  now(): number;
  /** A newer snapshot was applied. */
  snapshotApplied(snapshot: SnapshotRecord): Promise<void>;
  /** Something was stored that a person sees. */
  stored(): Promise<void>;
  /** An alert is stored, or came again. True once there is nothing (more) to show, false if it cannot be shown. */
  alertArrived(key: string, verdict: 'new' | 'duplicate'): Promise<boolean>;
}

export async function effectOf(
  incoming: Incoming,
  ports: EffectPorts,
): Promise<Effect<StorageTx> | undefined> {
  const read = receivePayload(incoming.payload);
  if ('dropped' in read) return drop(read.dropped, ports);
  switch (read.ok.kind) {
    case 'inbox_update':
      return updateEffect(read.ok, incoming, ports);
    case 'notification':
      return notificationEffect(read.ok, incoming, ports);
    case 'ack':
      return ackEffect(read.ok, incoming, ports);
    default:
      return drop('not_for_devices', ports);
  }
}

function drop(reason: string, ports: EffectPorts): undefined {
  ports.logger?.debug('payload_dropped', { reason });
  return undefined;
}

async function updateEffect(
  update: ReceivedInboxUpdate,
  { counter, live }: Incoming,
  ports: EffectPorts,
): Promise<Effect<StorageTx>> {
  const receivedAt = ports.now();
  const clockOffsetMs = live ? Math.round(update.ts - receivedAt) : undefined;
  const read = await readUpdate(update, {
    namespaceId: ports.namespaceId,
    counter,
    receivedAt,
    clockOffsetMs,
  });
  let applied: SnapshotRecord | undefined;
  return {
    async apply(tx, verdict) {
      applied = undefined;
      const earlier = await readSnapshot(tx, ports.pairingId);
      // A held-back older snapshot cannot roll the inbox back (02 §2).
      if (verdict === 'duplicate' || (earlier !== undefined && earlier.counter >= counter)) return;
      applied = { clockOffsetMs: earlier?.clockOffsetMs, ...read };
      await writeSnapshot(tx, ports.pairingId, applied);
      await changePairing(tx, ports.pairingId, (record) => ({
        supports: mergeSupports(record.supports, update.supports),
        ...(isNear(clockOffsetMs) ? { adoptedClockOffsetMs: undefined } : {}),
      }));
      await ports.answers.applySnapshot(tx, applied);
    },
    async after() {
      if (applied !== undefined) await ports.snapshotApplied(applied);
    },
  };
}

/** The clocks agree well enough for the agent to take this one: whichever was wrong has been set. */
function isNear(clockOffsetMs: number | undefined): boolean {
  return clockOffsetMs !== undefined && Math.abs(clockOffsetMs) < CONTENT.maxClockDistanceMs;
}

async function notificationEffect(
  note: ReceivedNotification,
  { counter }: Incoming,
  ports: EffectPorts,
): Promise<Effect<StorageTx>> {
  const alert = alertOf(note, counter, ports.now());
  let showing: Promise<boolean> | undefined;
  return {
    async apply(tx, verdict) {
      if (verdict === 'new') await applyAlert(tx, ports.pairingId, alert);
    },
    async after(verdict) {
      await ports.stored();
      showing = ports.alertArrived(alert.key, verdict);
    },
    withheld: () => showing && { until: shownOrNever(showing) },
  };
}

/** One that could not be shown is not confirmed at once, so that the push comes (03 §6). */
function shownOrNever(showing: Promise<boolean>): Promise<void> {
  return new Promise((resolve) => {
    void showing.then((isShown) => {
      if (isShown) resolve();
    });
  });
}

async function ackEffect(
  ack: ReceivedAck,
  _incoming: Incoming,
  ports: EffectPorts,
): Promise<Effect<StorageTx>> {
  let effect: AckEffect | undefined;
  return {
    async apply(tx, verdict) {
      effect = verdict === 'new' ? await ports.answers.applyAck(tx, ack) : undefined;
      const agentNow = effect?.agentNow;
      if (agentNow === undefined) return;
      const adoptedClockOffsetMs = Math.round(agentNow - ports.now());
      await changePairing(tx, ports.pairingId, () => ({ adoptedClockOffsetMs }));
    },
    async after() {
      if (effect !== undefined) ports.answers.acked(ack.ref_id, effect);
      await ports.stored();
    },
  };
}
