/** Door ".": a relay inside another program. The command is `main.ts`. */
import { composeRelay } from './compose.js';
import { parseConfig, type RelayConfigInput } from './config/index.js';
import type { Clock } from './ports/index.js';

export type { RelayConfigInput } from './config/index.js';

export interface StartRelayOptions {
  /** Takes the log, a JSON line at a time; without it nothing is logged. */
  readonly log?: { write(line: string): void };
  /** Time of the relay's rules, for tests. */
  readonly clock?: Clock;
}

export interface RunningRelay {
  /** What peers dial: `ws(s)://host:port`. */
  readonly url: string;
  /** Base of `/readyz`; absent when it is off. */
  readonly opsUrl?: string;
  readonly port: number;
  /** What a new agent must show, under registration `invite`. */
  readonly invite?: string;
  /** Resolves when the store has ended by itself: nothing is accepted any more. Close this relay and start another. */
  readonly failed: Promise<void>;
  /** Says goodbye to everyone (1001) and releases everything. Idempotent. */
  close(): Promise<void>;
}

/**
 * Starts a relay. Everything is optional: without `store` nothing is kept on disk, port 0 takes any free one.
 * @throws CountersignError `invalid_request` (`details.setting` names the setting), `port_in_use`, `state_locked`,
 * `state_corrupt`, `state_newer`, `state_permissions`, `unavailable`.
 */
export async function startRelay(
  config: RelayConfigInput = {},
  options: StartRelayOptions = {},
): Promise<RunningRelay> {
  const parsed = parseConfig(config);
  const relay = await composeRelay(options.log ? parsed : { ...parsed, logLevel: 'silent' }, {
    log: options.log ?? { write: () => undefined },
    clock: options.clock,
  });
  const { url, opsUrl, invite } = relay.facts;
  return {
    url,
    port: relay.port,
    failed: relay.failed,
    ...(opsUrl === undefined ? {} : { opsUrl }),
    ...(invite === undefined ? {} : { invite }),
    close: relay.close,
  };
}
