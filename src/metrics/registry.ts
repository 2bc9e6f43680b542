import { Counter, Gauge, Histogram, Registry } from 'prom-client';

/** Buckets in seconds, from the time of a cached answer to a time that no caller waits. */
const durationBuckets = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];

export function createRegistry(): Registry {
  return new Registry();
}

/**
 * Returns functions that create metrics in a registry, whose values are set by events.
 * @param prefix of every name, after that of the service
 */
export function metricsIn(registry: Registry, prefix = '') {
  const options = <Label extends string>(name: string, help: string, labelNames: readonly Label[]) => ({
    name: `entity_search_${prefix}${name}`,
    help,
    labelNames,
    registers: [registry],
  });
  return {
    counter: <Label extends string>(name: string, help: string, labels: readonly Label[] = []) =>
      new Counter(options(name, help, labels)),
    gauge: <Label extends string>(name: string, help: string, labels: readonly Label[] = []) =>
      new Gauge(options(name, help, labels)),
    /** A histogram of seconds. */
    durations: <Label extends string>(name: string, help: string, labels: readonly Label[] = []) =>
      new Histogram({ ...options(name, help, labels), buckets: durationBuckets }),
  };
}

/** The value of a gauge, or a value for each combination of labels. Null and missing values are not served. */
export type Reading = number | null | Iterable<readonly [labels: Readonly<Record<string, string>>, value: number]>;

export function addGauge(
  registry: Registry,
  name: string,
  help: string,
  read: () => Reading,
  labelNames: readonly string[] = [],
): void {
  new Gauge({
    name: `entity_search_${name}`,
    help,
    labelNames,
    registers: [registry],
    collect() {
      const reading = read();
      this.reset();
      if (reading === null) this.remove();
      else if (typeof reading === 'number') this.set(reading);
      else for (const [labels, value] of reading) this.set(labels, value);
    },
  });
}
