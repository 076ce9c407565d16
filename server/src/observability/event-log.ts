/**
 * The domain's events as log lines: each field is named here, ids are shortened, nothing else of a peer appears
 * (01 §8). Must not know what an event leads to.
 */
import { ERRORS, isErrorCode, shortId } from '@countersign/protocol';
import { type DestinationStream, type Logger, pino } from 'pino';
import type { RelayEvent, RelayEvents } from '../ports/index.js';

export type LogLevel = 'silent' | 'error' | 'warn' | 'info' | 'debug';
type Field = string | number | boolean;

const LEVELS: Readonly<Record<RelayEvent['event'], Exclude<LogLevel, 'silent'>>> = {
  login: 'info',
  login_refused: 'info',
  closed: 'info',
  namespace_created: 'info',
  paired: 'info',
  authorized: 'info',
  frame_refused: 'debug',
  unproven: 'debug',
  push_token_ignored: 'info',
  push_ended: 'debug',
  push_paused: 'warn',
  push_resumed: 'info',
  push_tokens_kept: 'error',
  connection_refused: 'warn',
  store_failed: 'error',
  collected: 'info',
  host_unknown: 'warn',
  forwarded_header_ignored: 'warn',
};

const HINTS: Readonly<Partial<Record<RelayEvent['event'], string>>> = {
  push_paused: 'a provider refuses us or does not answer; pushes wait and are sent later',
  push_tokens_kept:
    'so many push tokens died at once that the credential or environment is probably wrong; none is removed for now',
  host_unknown: 'a peer dialled a name that publicHosts does not list; our SDKs will refuse to sign in',
  forwarded_header_ignored: 'a forwarded header came from an address that trustedProxies does not list',
};

/** Ids that are shortened, and facts that are printed as they are. Everything else is dropped. */
const ID_FIELDS = ['namespace', 'peer', 'recipient'] as const;
const FACT_FIELDS = [
  'role',
  'code',
  'closeCode',
  'by',
  'again',
  'devices',
  'revoked',
  'messages',
  'namespaces',
  'reason',
  'provider',
  'outcome',
  'operation',
] as const;

export interface EventLog extends RelayEvents {
  readonly logger: Logger;
}

/** JSON lines to `destination`. */
export function openEventLog(level: LogLevel, destination: DestinationStream): EventLog {
  const logger = pino({ level, base: null, timestamp: pino.stdTimeFunctions.isoTime }, destination);
  return { logger, emit: (event) => logger[levelOf(event)](fieldsOf(event), HINTS[event.event]) };
}

/** A refused login is worth what the catalogue says its code is worth. */
function levelOf(event: RelayEvent): Exclude<LogLevel, 'silent'> {
  if (event.event === 'login_refused' && isErrorCode(event.code)) return ERRORS[event.code].logLevel;
  return LEVELS[event.event];
}

function fieldsOf(event: RelayEvent): Record<string, Field> {
  const given: Readonly<Record<string, unknown>> = { ...event };
  const fields: Record<string, Field> = { event: event.event };
  for (const name of ID_FIELDS) {
    const id = given[name];
    if (id instanceof Uint8Array) fields[name] = shortId(id);
  }
  for (const name of FACT_FIELDS) {
    const fact = given[name];
    if (typeof fact === 'string' || typeof fact === 'number' || typeof fact === 'boolean')
      fields[name] = fact;
  }
  return fields;
}
