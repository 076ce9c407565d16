/** A histogram of plain numbers: observing costs a few additions. Must not know what is measured. */
import type { Metric, Sample } from './metric-names.js';

export class Histogram {
  readonly #metric: Metric;
  /** Upper bounds, ascending; above the last one is a bucket of its own. */
  readonly #bounds: readonly number[];
  readonly #counts: number[];
  #sum = 0;

  constructor(metric: Metric, bounds: readonly number[]) {
    this.#metric = metric;
    this.#bounds = bounds;
    this.#counts = Array.from({ length: bounds.length + 1 }, () => 0);
  }

  observe(value: number): void {
    let at = 0;
    while (at < this.#bounds.length && value > (this.#bounds[at] ?? 0)) at++;
    this.#counts[at] = (this.#counts[at] ?? 0) + 1;
    this.#sum += value;
  }

  /** As Prometheus wants it: each bucket counts what is in the smaller ones too. */
  samples(): Sample[] {
    const metric = this.#metric;
    let value = 0;
    const buckets = this.#counts.map((count, at): Sample => {
      value += count;
      return { metric, suffix: '_bucket', labels: { le: String(this.#bounds[at] ?? '+Inf') }, value };
    });
    return [...buckets, { metric, suffix: '_sum', value: this.#sum }, { metric, suffix: '_count', value }];
  }
}
