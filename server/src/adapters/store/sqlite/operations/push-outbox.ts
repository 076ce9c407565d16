/** The push outbox as its worker sees it: leases and what becomes of them. Must not know providers. */
import type { Database } from 'better-sqlite3';
import {
  type LeasedPush,
  PUSH_LANES,
  type PushBatch,
  type PushEnvironment,
  type PushIntent,
  type PushLane,
  type PushLease,
  type PushOutbox,
  type PushProvider,
  type PushRegistration,
  type PushSettlement,
  type SettledPush,
} from '../../../../ports/index.js';
import { prepareAll } from './prepare.js';
import { pushRows } from './push-rows.js';

type TakeOptions = Parameters<PushOutbox['takePushBatch']>[0];

export const PUSH_OUTBOX_SQL = {
  dueTurns: 'SELECT device FROM push_turns WHERE lane = ? AND due_at <= ? ORDER BY due_at LIMIT ?',
  nextTurn: 'SELECT due_at AS dueAt FROM push_turns WHERE lane = ? ORDER BY due_at LIMIT 1',
  first: `SELECT push, seq, intent, collapse, created_at AS createdAt, due_at AS dueAt, expires_at AS expiresAt,
      lease, attempts, unknowns, as_wake AS asWake, refused, reason
    FROM pushes WHERE device = ? ORDER BY due_at, push LIMIT 1`,
  device: `SELECT ns, ed25519, platform, token, app, lane, registered_at AS registeredAt, environment, vapid, handle,
      problem FROM devices WHERE device = ?`,
  namespace: 'SELECT id, agent FROM namespaces WHERE ns = ?',
  content: `SELECT nonce, CASE WHEN bytes <= ? THEN ciphertext END AS ciphertext FROM messages
    WHERE ns = ? AND recipient = ? AND seq = ?`,
  lease: 'UPDATE pushes SET lease = ?, due_at = ?, unknowns = ? WHERE push = ?',
  leaseTurn: 'UPDATE push_turns SET lease = ?, due_at = ? WHERE device = ?',
  freeTurn: 'UPDATE push_turns SET lease = 0 WHERE device = ? AND lease = ?',
  held: 'SELECT seq FROM pushes WHERE push = ? AND lease = ?',
  again: `UPDATE pushes SET lease = 0, attempts = attempts + ?, unknowns = unknowns + ?, as_wake = max(as_wake, ?),
    due_at = ?, reason = coalesce(?, reason) WHERE push = ?`,
  pushed: `UPDATE messages SET pushed = 1
    WHERE ns = (SELECT ns FROM devices WHERE device = ?) AND recipient = ? AND seq = ?`,
  environment: 'UPDATE devices SET environment = ? WHERE device = ? AND environment IS NOT ?',
  forget: `UPDATE devices SET token = '', app = NULL, lane = '', environment = NULL, vapid = NULL, problem = ?
    WHERE device = ? AND token = ? AND registered_at = ?`,
  dropLane: `UPDATE push_turns SET lane = '' WHERE device = ?`,
  hasten: `UPDATE pushes SET due_at = ? WHERE device = ? AND seq = ? AND lease = 0 AND attempts = 0 AND due_at > ?`,
  deviceOf: `SELECT device FROM devices
    WHERE ns = (SELECT ns FROM namespaces WHERE id = ?) AND ed25519 = ?`,
  voidPushes: `UPDATE pushes SET lease = 0, due_at = 0, unknowns = unknowns + 1 WHERE lease > 0`,
  voidTurns: 'UPDATE push_turns SET lease = 0, due_at = 0 WHERE lease > 0',
} as const;

interface PushRow extends Pick<LeasedPush, 'seq' | 'createdAt' | 'expiresAt' | 'attempts' | 'unknowns'> {
  readonly push: number;
  readonly intent: string;
  readonly collapse: Uint8Array | null;
  readonly dueAt: number;
  readonly lease: number;
  readonly asWake: number;
  readonly refused: number;
  readonly reason: string | null;
}

export interface RegisteredDevice {
  readonly ns: number;
  readonly ed25519: Uint8Array;
  readonly platform: number;
  readonly token: string;
  readonly app: string | null;
  readonly lane: string;
  readonly registeredAt: number;
  readonly environment: string | null;
  readonly vapid: string | null;
  readonly handle: Uint8Array | null;
  readonly problem: string | null;
}

export function pushOutboxOperations(db: Database) {
  const sql = prepareAll(db, PUSH_OUTBOX_SQL);
  const rows = pushRows(db);
  // The file is this process's alone: whoever held a lease is gone.
  sql.voidPushes.run();
  sql.voidTurns.run();

  function contentOf(ns: number, device: number, row: PushRow, maxBytes: number): LeasedPush['content'] {
    if (row.intent === 'wake' || row.asWake === 1 || row.refused === 1) return undefined;
    const message = sql.content.get(maxBytes, ns, device, row.seq) as
      | { nonce: Uint8Array; ciphertext: Uint8Array | null }
      | undefined;
    return message?.ciphertext ? { nonce: message.nonce, ciphertext: message.ciphertext } : undefined;
  }

  /** Undefined when the device's first row is not due after all. */
  function lease(device: number, { now, leaseUntil, maxContentBytes }: TakeOptions): LeasedPush | undefined {
    const row = sql.first.get(device) as PushRow | undefined;
    if (row === undefined || row.dueAt > now) {
      sql.freeTurn.run(device, 0);
      rows.retime(device);
      return undefined;
    }
    // A lease that nobody settled: it may have gone out.
    const unknowns = row.unknowns + (row.lease > 0 ? 1 : 0);
    sql.lease.run(leaseUntil, leaseUntil, unknowns, row.push);
    sql.leaseTurn.run(leaseUntil, leaseUntil, device);
    const owner = sql.device.get(device) as RegisteredDevice;
    const namespace = sql.namespace.get(owner.ns) as { id: Uint8Array; agent: Uint8Array };
    const { seq, createdAt, expiresAt, attempts } = row;
    return {
      lease: { push: row.push, device, until: leaseUntil },
      namespaceId: namespace.id,
      agent: namespace.agent,
      device: owner.ed25519,
      platform: owner.platform,
      registration: registrationOf(owner),
      intent: row.intent as PushIntent,
      content: contentOf(owner.ns, device, row, maxContentBytes),
      collapse: row.collapse ?? undefined,
      reason: row.reason ?? undefined,
      ...{ seq, createdAt, expiresAt, attempts, unknowns },
    };
  }

  function settle(lease: PushLease, settlement: PushSettlement, now: number): SettledPush {
    const { push, device } = lease;
    const isDead = settlement.kind === 'dead';
    const removedToken = isDead && forget(device, settlement);
    const row = sql.held.get(push, lease.until) as { seq: number } | undefined;
    if (row === undefined) return { reported: false, removedToken };
    if (settlement.kind === 'done')
      return { reported: finish(lease, row.seq, settlement, now), removedToken };
    if (removedToken) {
      const ending = { outcome: 'no_token', detail: settlement.reason, now } as const;
      return { reported: rows.end(push, ending), removedToken };
    }
    const { reason = null, notBefore } = settlement;
    const [unknown, asWake] =
      settlement.kind === 'again' ? [settlement.unknown ? 1 : 0, settlement.asWake ? 1 : 0] : [0, 0];
    if (unknown) sql.pushed.run(device, device, row.seq);
    sql.again.run(settlement.kind === 'defer' ? 0 : 1, unknown, asWake, notBefore, reason, push);
    return { reported: false, removedToken };
  }

  function finish(
    { push, device }: PushLease,
    seq: number,
    { outcome, detail, environment }: PushSettlement & { kind: 'done' },
    now: number,
  ): boolean {
    if (outcome === 'accepted') sql.pushed.run(device, device, seq);
    if (environment !== undefined) sql.environment.run(environment, device, environment);
    return rows.end(push, { outcome, detail, now });
  }

  function forget(device: number, dead: PushSettlement & { kind: 'dead' }): boolean {
    const { token, registeredAt, since, reason } = dead;
    if (since !== undefined && registeredAt > since) return false;
    if (sql.forget.run(reason, device, token, registeredAt).changes === 0) return false;
    sql.dropLane.run(device);
    return true;
  }

  return {
    takePushBatch(options: TakeOptions): PushBatch {
      const pushes: LeasedPush[] = [];
      const nextDueAt: Partial<Record<PushLane, number>> = {};
      for (const lane of PUSH_LANES) {
        const turns = sql.dueTurns.all(lane, options.now, options.room[lane]) as { device: number }[];
        for (const { device } of turns) {
          const leased = lease(device, options);
          if (leased) pushes.push(leased);
        }
        const next = sql.nextTurn.get(lane) as { dueAt: number } | undefined;
        if (next) nextDueAt[lane] = next.dueAt;
      }
      return { pushes, nextDueAt };
    },
    settlePush(lease: PushLease, settlement: PushSettlement, now: number): SettledPush {
      const settled = settle(lease, settlement, now);
      sql.freeTurn.run(lease.device, lease.until);
      return { ...settled, nextDueAt: rows.retime(lease.device) };
    },
    hastenPushes(id: Uint8Array, device: Uint8Array, seqs: readonly number[], now: number): boolean {
      const row = sql.deviceOf.get(id, device) as { device: number } | undefined;
      if (row === undefined) return false;
      const hastened = seqs.filter((seq) => sql.hasten.run(now, row.device, seq, now).changes > 0);
      if (hastened.length > 0) rows.retime(row.device);
      return hastened.length > 0;
    },
    pushRegistration(id: Uint8Array, device: Uint8Array): PushRegistration | undefined {
      const row = sql.deviceOf.get(id, device) as { device: number } | undefined;
      return row && registrationOf(sql.device.get(row.device) as RegisteredDevice);
    },
  };
}

export function registrationOf(device: RegisteredDevice): PushRegistration {
  return {
    deviceToken: device.token,
    app: device.app ?? undefined,
    provider: device.lane === '' ? undefined : (device.lane as PushProvider),
    vapidPublicKey: device.vapid ?? undefined,
    registeredAt: device.registeredAt,
    environment: (device.environment ?? undefined) as PushEnvironment | undefined,
    handle: device.handle ?? undefined,
    problem: device.problem ?? undefined,
  };
}
