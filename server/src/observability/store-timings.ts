/** How long commits take and how many requests share one. Must not know stores. */
import type { CommittedBatch, StoreObserver } from '../ports/index.js';
import { Histogram } from './histogram.js';
import { METRICS, type MetricSource } from './metric-names.js';

/** From a fast disk with a write cache to one that is about to fail. */
const SECONDS = [0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
/** Up to the largest batch a store makes. */
const REQUESTS = [1, 2, 4, 8, 16, 32, 64, 128, 256];
const MS_PER_SECOND = 1000;

export class StoreTimings implements StoreObserver, MetricSource {
  readonly #commit = new Histogram(METRICS.commitSeconds, SECONDS);
  readonly #batch = new Histogram(METRICS.batchSeconds, SECONDS);
  readonly #requests = new Histogram(METRICS.batchRequests, REQUESTS);
  readonly metrics = [METRICS.commitSeconds, METRICS.batchSeconds, METRICS.batchRequests];

  committed({ requests, runMs, commitMs }: CommittedBatch): void {
    // A batch of reads waits for no disk, and would hide how slow it is.
    if (commitMs > 0) this.#commit.observe(commitMs / MS_PER_SECOND);
    this.#batch.observe(runMs / MS_PER_SECOND);
    this.#requests.observe(requests);
  }

  read() {
    return [this.#commit, this.#batch, this.#requests].flatMap((each) => each.samples());
  }
}
