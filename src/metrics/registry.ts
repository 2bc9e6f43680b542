import { Registry } from 'prom-client';

/** In seconds. From what an answer out of a cache takes to what no caller waits for. */
export const durationBuckets = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];

/** Creates the registry of a process's metrics. */
export function createRegistry(): Registry {
  return new Registry();
}
