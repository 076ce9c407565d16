/**
 * What may be shared when something does not work: versions, states and counts. No name, host, id, key or content is
 * among it. Pure.
 */
import type { InboxSnapshot } from '@countersign/client-sdk';
import type { HistoryEntry } from './history.js';
import type { SettingValues } from './settings.js';

export interface Surroundings {
  appVersion: string;
  userAgent: string;
  online: boolean;
  standalone: boolean;
  serviceWorker: boolean;
  notifications: string;
  storedBytes: number | undefined;
  isLockSetUp: boolean;
  now: number;
}

export function diagnosticsText(
  inbox: InboxSnapshot,
  history: readonly HistoryEntry[],
  settings: SettingValues,
  around: Surroundings,
): string {
  const report = {
    format: 'countersign-diagnostics',
    v: 1,
    ...around,
    settings: { ...settings, deviceName: undefined, quietHours: settings.quietHours !== null },
    agents: inbox.pairings.map(({ connection, agentOnline, problem, snapshotAt, clockOffsetMs }) => ({
      connection,
      agentOnline,
      problem: problem?.code,
      snapshotAgeMs: snapshotAt === undefined ? undefined : around.now - snapshotAt,
      clockOffsetMs: clockOffsetMs === undefined ? undefined : Math.round(clockOffsetMs),
    })),
    items: countBy(inbox.items.map(({ kind, state }) => `${kind} ${state}`)),
    answers: countBy(history.map(({ state }) => state.phase)),
  };
  return JSON.stringify(report, undefined, 2);
}

function countBy(names: readonly string[]): Record<string, number> {
  const counts = new Map<string, number>();
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  return Object.fromEntries(counts);
}
