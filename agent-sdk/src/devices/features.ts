/** What this agent and its devices announced (03 §1). Must not know what a feature changes. */
import { type Feature, platformName } from '@countersign/protocol';
import { impliedSupports, mergeSupports } from '@countersign/protocol/payloads';
import type { DeviceRow } from '../store/index.js';

/** Announced in QR and inbox_update. */
export const AGENT_FEATURES: readonly Feature[] = [
  'receipts',
  'acks',
  'choices',
  'truncated',
  'item_request',
  'replace',
  'schema',
  'arguments_text',
  'bypasses',
];

/** What a device of this platform has before it announced anything. */
export function firstFeatures(platform: number): readonly string[] {
  return impliedSupports(platformName(platform) ?? '');
}

export function featuresOf(row: DeviceRow): ReadonlySet<string> {
  return new Set([...firstFeatures(row.platform), ...stored(row)]);
}

/** The stored list with an announcement added: nothing can be taken back. */
export function withAnnounced(row: DeviceRow, announced: unknown): string[] {
  return mergeSupports(stored(row), announced);
}

function stored(row: DeviceRow): string[] {
  return JSON.parse(row.supports) as string[];
}
