/**
 * A notifier in memory, for suites that need one and not a provider; the scene in which it passes the conformance
 * suite is here too. Must not know a provider.
 */
import type { Clock, Notifier, Push, PushOutcome, PushTarget, TokenVerdict } from '@countersign/server/ports';
import { Sending } from '../../../server/src/adapters/notifier/common/index.js';
import type { Fault, NotifierScene } from '../../conformance/notifier.js';
import { Ledger } from '../../gateways/kit/ledger.js';
import { RelayClock } from '../relay/relay-clock.js';

export const STUB_MAX_IN_FLIGHT = 8;
const STUB_DEADLINE_MS = 10_000;
const STUB_TOKEN = /^stub-\d+$/;

/** What the stub says to a push; a promise that never settles is silence. */
export type StubAnswer = (push: Push) => PushOutcome | Promise<PushOutcome>;

export class StubNotifier implements Notifier {
  readonly provider = 'webpush';
  readonly maxInFlight = STUB_MAX_IN_FLIGHT;
  readonly maxPerGroup = STUB_MAX_IN_FLIGHT;
  /** Every push that reached the provider, and those it took. */
  readonly reached = new Ledger<Push>(true);
  readonly accepted = new Ledger<Push>(true);
  /** Answers for the coming pushes, first in, first out; accepted when there is none. */
  readonly answers: StubAnswer[] = [];
  readonly #sending: Sending;

  constructor(clock: Clock) {
    this.#sending = new Sending({ clock, maxInFlight: STUB_MAX_IN_FLIGHT, deadlineMs: STUB_DEADLINE_MS });
  }

  groupOf(): string {
    return 'stub';
  }

  checkToken({ token }: PushTarget): Promise<TokenVerdict> {
    return Promise.resolve(STUB_TOKEN.test(token) ? 'ok' : 'malformed');
  }

  async send(push: Push): Promise<PushOutcome> {
    if (!STUB_TOKEN.test(push.target.token)) return { outcome: 'bad_request', reason: 'malformed_token' };
    const { content } = push;
    if (content.kind === 'content' && content.ciphertext.length > 2_625) return { outcome: 'too_large' };
    return this.#sending.run('stub', () => this.#answer(push));
  }

  close(): Promise<void> {
    return this.#sending.close();
  }

  async #answer(push: Push): Promise<PushOutcome> {
    const answer = this.answers.shift();
    this.reached.add(push);
    const outcome = (await answer?.(push)) ?? { outcome: 'accepted' };
    if (outcome.outcome === 'accepted') this.accepted.add(push);
    return outcome;
  }
}

export async function stubScene(): Promise<NotifierScene> {
  const clock = new RelayClock();
  const notifier = new StubNotifier(clock);
  let devices = 0;
  return {
    notifier,
    device: () => {
      devices += 1;
      return { token: `stub-${devices}` };
    },
    fault: (fault) => notifier.answers.push(() => outcomeOf(fault)),
    hold: () => {
      let release = (): void => undefined;
      const held = new Promise<PushOutcome>((resolve) => {
        release = () => resolve({ outcome: 'accepted' });
      });
      notifier.answers.push(...Array.from({ length: STUB_MAX_IN_FLIGHT }, () => () => held));
      return release;
    },
    accepted: () => notifier.accepted.count,
    requests: () => notifier.reached.count,
    reached: (requests) => notifier.reached.whenCount(requests),
    advance: (ms) => clock.advance(ms),
    close: () => Promise.resolve(),
  };
}

function outcomeOf(fault: Fault): PushOutcome | Promise<PushOutcome> {
  switch (fault.kind) {
    case 'silence':
      return new Promise(() => undefined);
    case 'disconnect':
      return { outcome: 'unknown', reason: 'connection_lost' };
    case 'throttled':
      return { outcome: 'retry', reason: 'throttled', afterMs: (fault.retryAfterSeconds ?? 60) * 1_000 };
    case 'server_fault':
      return { outcome: 'retry', reason: 'server_fault', afterMs: 10_000 };
    case 'too_large':
      return { outcome: 'too_large' };
    default:
      return { outcome: fault.kind, reason: 'scripted' };
  }
}
