/** Messages that opened under a key nobody confirmed yet (02 §5). Must not know what is in them. */
import { PAIRING } from '@countersign/protocol';
import type { Sqlite } from './database.js';

export interface HeldRow {
  seq: number;
  counter: number;
  live: number;
  /** JSON as parsed. */
  payload: string;
}

export type HeldTable = ReturnType<typeof heldTable>;

export function heldTable(db: Sqlite) {
  const count = db.prepare('SELECT count(*) FROM held WHERE channel_id = ?').pluck();
  const insert = db.prepare('INSERT INTO held (channel_id, counter, live, payload) VALUES (?, ?, ?, ?)');
  const first = db.prepare(
    'SELECT seq, counter, live, payload FROM held WHERE channel_id = ? ORDER BY seq LIMIT 1',
  );
  const remove = db.prepare('DELETE FROM held WHERE seq = ?');
  return {
    /** False when the channel holds {@link PAIRING.maxHeldFromUnconfirmed} already. */
    add(channelId: string, counter: number, live: boolean, payload: string): boolean {
      if (Number(count.get(channelId)) >= PAIRING.maxHeldFromUnconfirmed) return false;
      insert.run(channelId, counter, live ? 1 : 0, payload);
      return true;
    },
    /** The oldest of them. */
    first: (channelId: string): HeldRow | undefined => first.get(channelId) as HeldRow | undefined,
    /** False when somebody else took it. */
    remove: (seq: number): boolean => remove.run(seq).changes === 1,
  };
}
