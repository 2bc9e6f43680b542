import { type EngineOptions, type Engines, startEngines } from './engines.ts';

/** Java's second compiler pays for itself after some ten minutes of Elasticsearch: tests are over by then. */
const quickJava = '-XX:TieredStopAtLevel=1';

/**
 * One pair of engines for a whole test run, kept in `.local/test` for a quick next start and without
 * fsync. Other options as for `startEngines`.
 */
export function startTestEngines(
  options: Omit<EngineOptions, 'state' | 'fsync'> & { readonly state?: string },
): Promise<Engines> {
  const env = { ...options.env, ES_JAVA_OPTS: `${quickJava} ${options.env.ES_JAVA_OPTS ?? ''}`.trim() };
  return startEngines({ state: '.local/test', ...options, env, fsync: false });
}
