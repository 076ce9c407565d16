/** Key agreements with devices and their states (02 §5). Must not know when a state changes. */
import type { Sqlite } from './database.js';

export type PairingState = 'paired' | 'confirmed' | 'authorized' | 'trusted';

export interface PairingRow {
  channelId: string;
  device: string;
  deviceX25519: Uint8Array;
  agentX25519Public: Uint8Array;
  agentX25519Secret: Uint8Array;
  windowId: string;
  platform: number;
  state: PairingState;
  verified: number;
  pairedAt: number;
  /** Highest send counter reserved so far. */
  sendHigh: number;
  /** Highest send counter known to be used; may lag behind by the last few. */
  sentCounter: number;
  receiveWindow: Uint8Array | null;
  /** Counter of the last `hello` applied. */
  helloCounter: number;
}

const COLUMNS = `channel_id AS channelId, device, device_x25519 AS deviceX25519,
  agent_x25519_public AS agentX25519Public, agent_x25519_secret AS agentX25519Secret, window_id AS windowId,
  platform, state, verified, paired_at AS pairedAt, send_high AS sendHigh, sent_counter AS sentCounter, receive_window AS receiveWindow,
  hello_counter AS helloCounter`;

/** Most trusted first, then the newest. */
const ORDER = `ORDER BY CASE state WHEN 'trusted' THEN 0 WHEN 'authorized' THEN 1 WHEN 'confirmed' THEN 2 ELSE 3 END,
  paired_at DESC, rowid DESC`;

export type PairingsTable = ReturnType<typeof pairingsTable>;

export function pairingsTable(db: Sqlite) {
  const insert = db.prepare(
    `INSERT INTO pairings (channel_id, device, device_x25519, agent_x25519_public, agent_x25519_secret, window_id,
       platform, state, paired_at)
     VALUES (@channelId, @device, @deviceX25519, @agentX25519Public, @agentX25519Secret, @windowId, @platform,
       'paired', @pairedAt)`,
  );
  const get = db.prepare(`SELECT ${COLUMNS} FROM pairings WHERE channel_id = ?`);
  const ofDevice = db.prepare(`SELECT ${COLUMNS} FROM pairings WHERE device = ? ${ORDER}`);
  const all = db.prepare(`SELECT ${COLUMNS} FROM pairings ${ORDER}`);
  const confirm = db.prepare(
    "UPDATE pairings SET state = 'confirmed', verified = ? WHERE channel_id = ? AND state = 'paired'",
  );
  const authorized = db.prepare(
    "UPDATE pairings SET state = 'authorized' WHERE channel_id = ? AND state = 'confirmed'",
  );
  const trust = db.prepare(
    "UPDATE pairings SET state = 'trusted' WHERE channel_id = ? AND state IN ('confirmed', 'authorized')",
  );
  const helloApplied = db.prepare(
    'UPDATE pairings SET hello_counter = ? WHERE channel_id = ? AND hello_counter < ?',
  );
  const removeOthers = db.prepare(
    'DELETE FROM pairings WHERE device = ? AND channel_id <> ? AND paired_at <= ?',
  );
  const remove = db.prepare('DELETE FROM pairings WHERE channel_id = ?');
  const noteSent = db.prepare(
    'UPDATE pairings SET sent_counter = ? WHERE channel_id = ? AND sent_counter < ?',
  );
  return {
    insert(
      row: Omit<
        PairingRow,
        'state' | 'verified' | 'sendHigh' | 'sentCounter' | 'receiveWindow' | 'helloCounter'
      >,
    ): void {
      insert.run(row);
    },
    get: (channelId: string): PairingRow | undefined => get.get(channelId) as PairingRow | undefined,
    ofDevice: (device: string): PairingRow[] => ofDevice.all(device) as PairingRow[],
    all: (): PairingRow[] => all.all() as PairingRow[],
    confirm: (channelId: string, verified: boolean): boolean =>
      confirm.run(verified ? 1 : 0, channelId).changes === 1,
    authorized(channelId: string): void {
      authorized.run(channelId);
    },
    trust: (channelId: string): boolean => trust.run(channelId).changes === 1,
    /** True when this `hello` is newer than the last one applied (02 §2). */
    helloApplied: (channelId: string, counter: number): boolean =>
      helloApplied.run(counter, channelId, counter).changes === 1,
    /** The older pairings of a device whose new one is trusted; a still newer one stays. */
    removeOlder(row: Pick<PairingRow, 'device' | 'channelId' | 'pairedAt'>): number {
      return removeOthers.run(row.device, row.channelId, row.pairedAt).changes;
    },
    remove: (channelId: string): boolean => remove.run(channelId).changes === 1,
    /** Written along with other changes, never for its own sake. */
    noteSent(channelId: string, counter: number): void {
      noteSent.run(counter, channelId, counter);
    },
  };
}
