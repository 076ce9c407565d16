/**
 * The domain's events as counters. A label's value comes from a closed list: what a peer chose, such as the code it
 * closes with, is counted under a name of ours. Must not know the log.
 */
import { CLOSE, isErrorCode } from '@countersign/protocol';
import type { RelayEvent, RelayEvents } from '../ports/index.js';
import { Counts } from './counts.js';
import { METRICS, type MetricSource } from './metric-names.js';

const OURS: ReadonlyMap<number, string> = new Map([
  [CLOSE.pairingDone, 'pairing_done'],
  [CLOSE.goingAway, 'going_away'],
  [CLOSE.policy, 'policy'],
  [CLOSE.tooBig, 'too_big'],
  [CLOSE.tryLater, 'try_later'],
  [CLOSE.displaced, 'displaced'],
  [CLOSE.revoked, 'revoked'],
  [CLOSE.idle, 'idle'],
  [CLOSE.tooSlow, 'too_slow'],
]);

/** RFC 6455 §7.4.1. */
const THEIRS: ReadonlyMap<number, string> = new Map([
  [1000, 'normal'],
  [1001, 'normal'],
  [1005, 'normal'],
  [1006, 'lost'],
]);

type Of<Name extends RelayEvent['event']> = Extract<RelayEvent, { event: Name }>;

export class EventCounts implements RelayEvents, MetricSource {
  readonly #logins = new Counts(METRICS.logins);
  readonly #closed = new Counts(METRICS.closed);
  readonly #framesRefused = new Counts(METRICS.framesRefused);
  readonly #unproven = new Counts(METRICS.unproven);
  readonly #created = new Counts(METRICS.namespacesCreated);
  readonly #revoked = new Counts(METRICS.devicesRevoked);
  readonly #collected = new Counts(METRICS.collected);
  readonly #storeFailures = new Counts(METRICS.storeFailures);
  readonly #tokensIgnored = new Counts(METRICS.pushTokensIgnored);
  readonly metrics = [
    METRICS.logins,
    METRICS.closed,
    METRICS.framesRefused,
    METRICS.unproven,
    METRICS.namespacesCreated,
    METRICS.devicesRevoked,
    METRICS.collected,
    METRICS.storeFailures,
    METRICS.pushTokensIgnored,
  ];

  emit(event: RelayEvent): void {
    if (event.event === 'login') this.#logins.add([event.role, 'ok']);
    else if (event.event === 'paired') this.#logins.add(['pairing', 'ok']);
    else if (event.event === 'login_refused') this.#logins.add([event.role, codeOf(event.code)]);
    else if (event.event === 'closed') this.#closed.add([event.by, reasonOf(event)]);
    else if (event.event === 'frame_refused') this.#framesRefused.add([codeOf(event.code)]);
    else this.#emitSeldom(event);
  }

  read() {
    const all = [
      this.#logins,
      this.#closed,
      this.#framesRefused,
      this.#unproven,
      this.#created,
      this.#revoked,
      this.#collected,
      this.#storeFailures,
      this.#tokensIgnored,
    ];
    return all.flatMap((counts) => counts.samples());
  }

  #emitSeldom(event: RelayEvent): void {
    if (event.event === 'unproven') this.#unproven.add([], event.messages);
    else if (event.event === 'namespace_created') this.#created.add();
    else if (event.event === 'authorized') this.#revoked.add([], event.revoked);
    else if (event.event === 'collected') this.#collect(event);
    else if (event.event === 'store_failed') this.#storeFailures.add([event.operation]);
    else if (event.event === 'push_token_ignored') this.#tokensIgnored.add([event.reason]);
  }

  #collect({ messages, devices, namespaces }: Of<'collected'>): void {
    for (const [kind, count] of Object.entries({ messages, devices, namespaces }))
      this.#collected.add([kind], count);
  }
}

function codeOf(code: string): string {
  return isErrorCode(code) ? code : 'unknown';
}

function reasonOf({ by, closeCode }: Of<'closed'>): string {
  return (by === 'relay' ? OURS : THEIRS).get(closeCode) ?? 'other';
}

/** Every event to each of them, in order. */
export function tee(...all: readonly RelayEvents[]): RelayEvents {
  return {
    emit: (event) => {
      for (const each of all) each.emit(event);
    },
  };
}
