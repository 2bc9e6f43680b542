import { type EngineOptions, type Engines, startEngines } from './engines.ts';

/** Java's second compiler pays off after about ten minutes of Elasticsearch, when the tests are over. */
const quickJava = '-XX:TieredStopAtLevel=1';

/**
 * Hundreds of indices are open at a time, each with the vocabulary's rules. 154 of them fill two thirds of half a
 * gigabyte.
 */
const heapMb = 1024;

export function startTestEngines(
  options: Omit<EngineOptions, 'state' | 'fsync'> & { readonly state?: string },
): Promise<Engines> {
  const env = { ...options.env, ES_JAVA_OPTS: `${quickJava} ${options.env.ES_JAVA_OPTS ?? ''}`.trim() };
  return startEngines({ state: '.local/test', heapMb, ...options, env, fsync: false });
}
