import { messageOf } from '@sextant/core';
import type { Logger, MetricDefinition, MetricLabels, Metrics } from '@sextant/core';
import { Counter, Gauge, Histogram, Registry } from 'prom-client';

/** Most combinations of labels of one metric; each is kept for as long as the server runs. */
const mostSeries = 1000;
const mostMetrics = 100;

type Log = Pick<Logger, 'warn'>;

/** What all plugins count. It stays while a plugin is loaded again. */
export class PluginMetrics {
  readonly #plugins = new Map<string, CountedPlugin>();
  readonly #log: Log;

  constructor(log: Log) {
    this.#log = log;
  }

  of(plugin: string): Metrics {
    const counted = this.#plugins.get(plugin) ?? new CountedPlugin(plugin, this.#log);
    this.#plugins.set(plugin, counted);
    return counted;
  }

  /** Of these plugins, in the text format of Prometheus. */
  async text(plugins: readonly string[]): Promise<string> {
    const texts = plugins.map((plugin) => this.#plugins.get(plugin)?.text() ?? '');
    return (await Promise.all(texts)).filter((text) => text.trim() !== '').join('');
  }
}

/** Counts within the limit of series of one metric. */
type Counting = (labels: MetricLabels, work: () => void) => void;
type Metric = Counter | Gauge | Histogram;
interface Options {
  name: string;
  help: string;
  labelNames: string[];
  registers: Registry[];
}

class CountedPlugin implements Metrics {
  readonly #plugin: string;
  readonly #log: Log;
  readonly #registry = new Registry();
  readonly #countings = new Map<string, Counting>();

  constructor(plugin: string, log: Log) {
    this.#plugin = plugin;
    this.#log = log;
  }

  text(): Promise<string> {
    return this.#registry.metrics();
  }

  counter(definition: MetricDefinition): ReturnType<Metrics['counter']> {
    const { metric, count } = this.#metric(definition, Counter, (options) => new Counter(options));
    return { add: (amount = 1, labels = {}) => count(labels, () => metric.inc({ ...labels }, amount)) };
  }

  gauge(definition: MetricDefinition): ReturnType<Metrics['gauge']> {
    const { metric, count } = this.#metric(definition, Gauge, (options) => new Gauge(options));
    return { set: (value, labels = {}) => count(labels, () => metric.set({ ...labels }, value)) };
  }

  histogram(definition: MetricDefinition & { buckets?: readonly number[] }): ReturnType<Metrics['histogram']> {
    const { buckets } = definition;
    const made = (options: Options): Histogram =>
      new Histogram({ ...options, ...(buckets && { buckets: [...buckets] }) });
    const { metric, count } = this.#metric(definition, Histogram, made);
    return { observe: (value, labels = {}) => count(labels, () => metric.observe({ ...labels }, value)) };
  }

  /** The metric of that name; a new one in its place where it has other labels than before. */
  #metric<M extends Metric>(
    { name, help, labels = [] }: MetricDefinition,
    kind: abstract new (...args: never[]) => M,
    make: (options: Options) => M,
  ): { metric: M; count: Counting } {
    requireNames([name, ...labels]);
    const full = `sextant_plugin_${this.#plugin.replaceAll('-', '_')}_${name}`;
    const known = this.#registry.getSingleMetric(full);
    const metric = known instanceof kind && isLabelledWith(known, labels) ? known : undefined;
    const count = (metric && this.#countings.get(full)) ?? this.#counting(full);
    this.#countings.set(full, count);
    if (metric) return { metric, count };
    this.#registry.removeSingleMetric(full);
    if (this.#registry.getMetricsAsArray().length >= mostMetrics)
      throw new Error(`a plugin may have ${mostMetrics} metrics, and ${name} is one more`);
    const registers = [this.#registry];
    return { metric: make({ name: full, help, labelNames: [...labels], registers }), count };
  }

  /** What cannot be counted is told once and spoils nothing. */
  #counting(name: string): Counting {
    const series = new Set<string>();
    let isTold = false;
    const tell = (why: string): void => {
      if (!isTold) this.#log.warn({ plugin: this.#plugin, metric: name }, `a metric is not counted: ${why}`);
      isTold = true;
    };
    return (labels, work) => {
      const key = Object.values(labels).join('\n');
      if (!series.has(key) && series.size >= mostSeries) return tell(`it has more than ${mostSeries} series`);
      series.add(key);
      try {
        work();
      } catch (error) {
        tell(messageOf(error));
      }
    };
  }
}

const isLabelledWith = (metric: object, labels: readonly string[]): boolean =>
  'labelNames' in metric && Array.isArray(metric.labelNames) && metric.labelNames.join() === labels.join();

function requireNames(names: readonly string[]): void {
  for (const name of names)
    if (!/^[a-z][a-z0-9_]{0,99}$/.test(name))
      throw new Error(`the name "${name}" of a metric or label must be in snake_case, such as requests_total`);
}
