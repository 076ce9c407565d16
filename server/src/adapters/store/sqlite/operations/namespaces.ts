/** Namespaces, their agents, and the byte limit for new ones. Must not know devices or queues. */
import type { Database } from 'better-sqlite3';
import { STORE_ROW_BYTES, type StoreLimits, TOUCH_EVERY_MS } from '../../../../ports/index.js';
import { prepareAll } from './prepare.js';

export const NAMESPACE_SQL = {
  touchedAt: 'SELECT touched_at AS touchedAt FROM namespaces WHERE id = ?',
  touch: 'UPDATE namespaces SET touched_at = ? WHERE id = ?',
  touchConnected: 'UPDATE namespaces SET touched_at = ? WHERE id = ? AND touched_at < ?',
  create: 'INSERT INTO namespaces (id, agent, touched_at, last_seq, devices) VALUES (?, ?, ?, 0, 0)',
  agentOf: 'SELECT agent FROM namespaces WHERE id = ?',
  bytes: 'SELECT bytes FROM totals WHERE id = 1',
} as const;

export function namespaceOperations(db: Database, limits: StoreLimits) {
  const sql = prepareAll(db, NAMESPACE_SQL);
  return {
    touchNamespace(id: Uint8Array, agent: Uint8Array, now: number, mayCreate: boolean) {
      const known = sql.touchedAt.get(id) as { touchedAt: number } | undefined;
      if (known !== undefined) {
        if (known.touchedAt <= now - TOUCH_EVERY_MS) sql.touch.run(now, id);
        return 'known' as const;
      }
      if (!mayCreate) return 'refused' as const;
      const { bytes } = sql.bytes.get() as { bytes: number };
      const share = (limits.maxStoreBytes * limits.fullForNewPercent) / 100;
      if (bytes + STORE_ROW_BYTES.namespace > share) return 'store_full' as const;
      sql.create.run(id, agent, now);
      return 'created' as const;
    },
    /** Marks namespaces with a connection as in use. */
    touchConnected(ids: readonly Uint8Array[], now: number): void {
      for (const id of ids) sql.touchConnected.run(now, id, now);
    },
    agentOf(id: Uint8Array): Uint8Array | undefined {
      return (sql.agentOf.get(id) as { agent: Uint8Array } | undefined)?.agent;
    },
  };
}
