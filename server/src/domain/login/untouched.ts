/** A login that could not be recorded. Must not know whose. */
import { CountersignError } from '@countersign/protocol';
import type { RelayContext } from '../context.js';

export function tellUntouched({ events }: Pick<RelayContext, 'events'>, error: unknown): void {
  const code = error instanceof CountersignError ? error.code : 'unknown';
  events.emit({ event: 'store_failed', operation: 'touch', code });
}
