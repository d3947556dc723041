/** Values of the labels that a metric was made with. They are few and never name a person, a query or a file. */
export type MetricLabels = Readonly<Record<string, string>>;

export interface MetricDefinition {
  /** In snake_case, unique in the plugin; `_seconds`, `_bytes` and `_total` by the custom of Prometheus. */
  name: string;
  help: string;
  labels?: readonly string[];
}

/** A number that only grows. */
export interface CounterMetric {
  add(amount?: number, labels?: MetricLabels): void;
}

/** A number that goes up and down. */
export interface GaugeMetric {
  set(value: number, labels?: MetricLabels): void;
}

/** How often values were of which size. */
export interface HistogramMetric {
  observe(value: number, labels?: MetricLabels): void;
}

/**
 * What one plugin counts. `/metrics` shows it under `sextant_plugin_<plugin>_<name>`. Asked again for the same name,
 * each method gives the same metric. Counting never throws. Of one metric 1,000 combinations of labels are kept.
 */
export interface Metrics {
  counter(definition: MetricDefinition): CounterMetric;
  gauge(definition: MetricDefinition): GaugeMetric;
  /** `buckets`: upper bounds in ascending order. */
  histogram(definition: MetricDefinition & { buckets?: readonly number[] }): HistogramMetric;
}

/** Counts nothing: for commands and tests. */
export const silentMetrics: Metrics = {
  counter: () => ({ add() {} }),
  gauge: () => ({ set() {} }),
  histogram: () => ({ observe() {} }),
};
