/** Pushes by what became of them, and what the worker holds. Must not know providers' answers, tokens or endpoints. */
import type { PushAttempt, PushLoad, PushObserver, PushProvider } from '../ports/index.js';
import { Counts } from './counts.js';
import { Histogram } from './histogram.js';
import { METRICS, type MetricSource, type Sample } from './metric-names.js';

/** From an answer at once to a push that waited for an hour. */
const SECONDS = [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 900, 3600];
const MS_PER_SECOND = 1000;

export class PushCounts implements PushObserver, MetricSource {
  readonly #sent = new Counts(METRICS.pushSent);
  readonly #content = new Counts(METRICS.pushContent);
  readonly #overBudget = new Counts(METRICS.pushOverBudget);
  readonly #duplicates = new Counts(METRICS.pushDuplicates);
  readonly #removed = new Counts(METRICS.pushTokensRemoved);
  readonly #latency = new Histogram(METRICS.pushSeconds, SECONDS);
  readonly metrics = [
    METRICS.pushSent,
    METRICS.pushContent,
    METRICS.pushOverBudget,
    METRICS.pushDuplicates,
    METRICS.pushTokensRemoved,
    METRICS.pushSeconds,
  ];

  attempted({ provider, outcome, reason, content, isDuplicate, ageMs }: PushAttempt): void {
    this.#sent.add([provider, outcome, reason]);
    if (outcome === 'too_large') this.#overBudget.add([provider]);
    if (outcome !== 'accepted') return;
    this.#content.add([provider, content]);
    this.#latency.observe(ageMs / MS_PER_SECOND);
    if (isDuplicate) this.#duplicates.add([provider]);
  }

  tokenRemoved(provider: PushProvider, reason: string): void {
    this.#removed.add([provider, reason]);
  }

  read(): Sample[] {
    const counts = [this.#sent, this.#content, this.#overBudget, this.#duplicates, this.#removed];
    return [...counts.flatMap((each) => each.samples()), ...this.#latency.samples()];
  }
}

/** Of each configured provider. */
export function pushLoads(
  providers: readonly PushProvider[],
  load: (provider: PushProvider) => PushLoad,
): MetricSource {
  return {
    metrics: [METRICS.pushInFlight, METRICS.pushPaused],
    read: () =>
      providers.flatMap((provider) => {
        const { inFlight, paused } = load(provider);
        return [
          { metric: METRICS.pushInFlight, value: inFlight, labels: { provider } },
          { metric: METRICS.pushPaused, value: paused, labels: { provider } },
        ];
      }),
  };
}
