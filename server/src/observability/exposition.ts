/**
 * What a scrape gets: the relay's own metrics and those of the process, in Prometheus' text format. The library is
 * loaded by the first scrape: a start waits for nothing it does not need. Must not know what is measured.
 */
import type { Registry } from 'prom-client';
import type { Metric, MetricSource, Sample } from './metric-names.js';

type Library = typeof import('prom-client');

/** They walk or name every open connection, and say no more than our own count of them. */
const NOT_SHOWN = [
  'nodejs_active_resources',
  'nodejs_active_resources_total',
  'nodejs_active_handles',
  'nodejs_active_handles_total',
  'nodejs_active_requests',
  'nodejs_active_requests_total',
];

/** One for the process, however many relays run in it: what measures cannot be taken back. */
let processRegistry: Registry | undefined;

export class Exposition {
  readonly #sources: MetricSource[] = [];

  /** More metrics, such as those of an adapter. */
  add(source: MetricSource): void {
    this.#sources.push(source);
  }

  /** Every metric that is added, for the page and the rules that name them. */
  get metrics(): readonly Metric[] {
    return this.#sources.flatMap((source) => source.metrics);
  }

  async text(): Promise<{ contentType: string; body: string }> {
    const { default: library } = await import('prom-client');
    const read = await Promise.all(this.#sources.map(async (source) => source.read()));
    const samples = read.flat();
    const registry = new library.Registry();
    for (const metric of this.metrics) {
      const own = samples.filter((sample) => sample.metric === metric);
      registry.registerMetric(shown(metric, own));
    }
    const merged = library.Registry.merge([registry, processMetrics(library)]);
    return { contentType: merged.contentType, body: await merged.metrics() };
  }
}

function processMetrics(library: Library): Registry {
  if (processRegistry === undefined) {
    processRegistry = new library.Registry();
    library.collectDefaultMetrics({ register: processRegistry });
    for (const name of NOT_SHOWN) processRegistry.removeSingleMetric(name);
  }
  return processRegistry;
}

/** All a registry asks of a metric is `get`; the library's own classes cannot be given values counted elsewhere. */
function shown(
  { name, type, help }: Metric,
  samples: readonly Sample[],
): Parameters<Registry['registerMetric']>[0] {
  const values = samples.map(({ value, labels, suffix = '' }) => ({
    metricName: `${name}${suffix}`,
    value,
    labels: { ...labels },
  }));
  return { name, get: async () => ({ name, type, help, values, aggregator: 'sum' }) } as never;
}
