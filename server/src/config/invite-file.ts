/**
 * The invite beside the data file, for its owner only, so that a command can show it while the relay runs and
 * holds the data. The store stays the truth.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { MEMORY } from './settings.js';

function fileOf(store: string): string | undefined {
  return store === MEMORY ? undefined : `${store}.invite`;
}

export function writeInviteFile(store: string, invite: string): void {
  const file = fileOf(store);
  if (file !== undefined) writeFileSync(file, `${invite}\n`, { mode: 0o600 });
}

/** Undefined when no relay with an invite has run on this data file yet. */
export function readInviteFile(store: string): string | undefined {
  const file = fileOf(store);
  try {
    return file && readFileSync(file, 'utf8').trim();
  } catch {
    return undefined;
  }
}
