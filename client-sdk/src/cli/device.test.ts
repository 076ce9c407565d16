/** When a command has heard enough to show the inbox. */
import { describe, expect, it } from 'vitest';
import type { InboxSnapshot, PairingStatus } from '../api.js';
import { isSettled } from './device.js';

const OPENED_AT = 1_000_000;
const DAY = 24 * 60 * 60 * 1000;
const settled = isSettled(OPENED_AT, () => OPENED_AT + 5);

function inboxOf(...pairings: Partial<PairingStatus>[]): InboxSnapshot {
  const whole = pairings.map((one) => ({ id: 'p', agentName: 'a', connection: 'online' as const, ...one }));
  return { items: [], bypasses: [], badge: 0, pairings: whole } as unknown as InboxSnapshot;
}

describe('an inbox is settled', () => {
  it('once every agent has said what is pending', () => {
    expect(settled(inboxOf({ snapshotAt: OPENED_AT }, { snapshotAt: OPENED_AT + 5 }))).toBe(true);
    expect(settled(inboxOf({ snapshotAt: OPENED_AT }, { snapshotAt: OPENED_AT - 1 }))).toBe(false);
    expect(settled(inboxOf({}))).toBe(false);
  });

  it('when it is known why an agent does not', () => {
    expect(settled(inboxOf({ connection: 'waiting' }, { agentOnline: false }))).toBe(true);
    expect(settled(inboxOf())).toBe(true);
  });

  it('but not by what was stored while this clock was days ahead', () => {
    expect(settled(inboxOf({ snapshotAt: OPENED_AT + 8 * DAY }))).toBe(false);
  });
});
