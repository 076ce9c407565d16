/** Options of `openAgent`, checked once. Must not open anything. */
import { hostname } from 'node:os';
import { resolve } from 'node:path';
import { CONTENT, CountersignError, parseUrl } from '@countersign/protocol';
import { authorityOf } from '@countersign/protocol/auth';
import { titleLine } from '@countersign/protocol/blocks';
import type { AgentOptions } from '../api.js';

export interface Settings {
  readonly relayUrl: string;
  /** `host[:port]` of it. */
  readonly authority: string;
  readonly dir: string;
  readonly label: string;
  readonly invite: string | undefined;
  readonly appUrl: string | undefined;
  readonly receipts: 'required' | { readonly optionalFor: readonly string[] };
  readonly confirm: 'code' | 'yes';
  readonly reopenGraceMs: number;
  readonly bypassCeilingSecs: number | undefined;
  readonly originalRelay: boolean;
  readonly ca: string | undefined;
}

/** @throws CountersignError `invalid_request` naming the option. */
export function settingsOf(options: AgentOptions): Settings {
  const {
    relayUrl,
    dir,
    invite,
    appUrl,
    confirm = 'code',
    reopenGraceMs = CONTENT.reopenGraceMs,
    ca,
  } = options;
  if (typeof relayUrl !== 'string' || !/^wss?:\/\//.test(relayUrl) || parseUrl(relayUrl) === undefined) {
    throw invalid('relayUrl', 'must begin with wss:// (or ws:// for a relay on this machine)');
  }
  if (typeof dir !== 'string' || dir === '') throw invalid('dir', 'must name the state directory');
  if (!(reopenGraceMs >= 0 && reopenGraceMs <= CONTENT.maxExpiresInMs)) {
    throw invalid('reopenGraceMs', 'must be between 0 and 6 days');
  }
  if (appUrl !== undefined && !/^https?:\/\//.test(appUrl))
    throw invalid('appUrl', 'must begin with https://');
  return {
    relayUrl,
    authority: authorityOf(relayUrl),
    dir: resolve(dir),
    label: titleLine((options.name ?? '').trim()) || titleLine(hostname()) || 'agent',
    invite,
    appUrl,
    receipts: options.receipts ?? 'required',
    confirm,
    reopenGraceMs,
    bypassCeilingSecs: options.bypassCeilingSecs,
    originalRelay: options.originalRelay ?? false,
    ca,
  };
}

function invalid(member: string, what: string): CountersignError {
  return new CountersignError('invalid_request', `${member} ${what}.`, { details: { member } });
}
