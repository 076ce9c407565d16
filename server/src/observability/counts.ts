/** Counts by labels, for what happens seldom enough to look a key up. Must not know what is counted. */
import type { Metric, Sample } from './metric-names.js';

export class Counts {
  readonly #metric: Metric;
  readonly #entries = new Map<string, { readonly labels: Readonly<Record<string, string>>; value: number }>();

  constructor(metric: Metric) {
    this.#metric = metric;
  }

  /** Values in the order of the metric's labels; each from a list that is known beforehand. */
  add(values: readonly string[] = [], by = 1): void {
    const key = values.join(' ');
    const entry = this.#entries.get(key);
    if (entry) entry.value += by;
    else this.#entries.set(key, { labels: this.#labelled(values), value: by });
  }

  samples(): Sample[] {
    // Without labels there is one value, and it is known before anything happened.
    if (this.#metric.labels.length === 0 && this.#entries.size === 0) this.add([], 0);
    return [...this.#entries.values()].map(({ labels, value }) => ({ metric: this.#metric, labels, value }));
  }

  #labelled(values: readonly string[]): Record<string, string> {
    return Object.fromEntries(this.#metric.labels.map((label, at) => [label, values[at] ?? '']));
  }
}
