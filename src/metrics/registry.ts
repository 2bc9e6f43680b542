import { Gauge, Registry } from 'prom-client';

/** Buckets in seconds, from the time of a cached answer to a time that no caller waits. */
export const durationBuckets = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];

export function createRegistry(): Registry {
  return new Registry();
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
