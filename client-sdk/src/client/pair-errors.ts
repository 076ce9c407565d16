/** What a failed pairing tells a person, and which failures are worth another try. Must not know sockets. */
import { CountersignError, type ErrorCode } from '@countersign/protocol';
import type { PlatformName } from './pairing-record.js';

const TRANSIENT: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  'unavailable',
  'timeout',
  'challenge_timeout',
  'protocol',
]);

export function isWorthRetrying(error: unknown): boolean {
  return error instanceof CountersignError && TRANSIENT.has(error.code);
}

export function explainPairing(error: unknown, about: { platform: PlatformName; expired: boolean }): unknown {
  if (!(error instanceof CountersignError)) return error;
  if (error.code === 'pairing_closed' && about.expired) {
    return new CountersignError(
      'link_expired',
      'This pairing link has expired. Make a new one at the agent.',
    );
  }
  if (error.code === 'pairing_closed') {
    return new CountersignError(
      'pairing_closed',
      'This pairing link was used already, or the agent has closed it. Make a new one at the agent.',
    );
  }
  if (error.code === 'not_found') {
    return new CountersignError(
      'not_found',
      'The relay of this link does not know the agent. Make a new link at the agent, and check which relay it uses.',
    );
  }
  if (error.code === 'bad_request' && about.platform === 'web') {
    return new CountersignError(
      'unsupported',
      'This relay does not know web and terminal devices. Use a phone app, or have the relay updated.',
    );
  }
  return error;
}
