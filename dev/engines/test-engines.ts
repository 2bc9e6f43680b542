import { type EngineOptions, type Engines, startEngines } from './engines.ts';

/** Java's second compiler pays for itself after some ten minutes of Elasticsearch: tests are over by then. */
const quickJava = '-XX:TieredStopAtLevel=1';

/** Hundreds of indices are open at a time, each with the vocabulary's rules: half a gigabyte is two thirds full with 154. */
const heapMb = 1024;

export function startTestEngines(
  options: Omit<EngineOptions, 'state' | 'fsync'> & { readonly state?: string },
): Promise<Engines> {
  const env = { ...options.env, ES_JAVA_OPTS: `${quickJava} ${options.env.ES_JAVA_OPTS ?? ''}`.trim() };
  return startEngines({ state: '.local/test', heapMb, ...options, env, fsync: false });
}
