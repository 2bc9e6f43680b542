import { type EngineOptions, type Engines, startEngines } from './engines.ts';

/**
 * One pair of engines for a whole test run, kept in `.local/test` for a quick next start and without
 * fsync. Other options as for `startEngines`.
 */
export function startTestEngines(
  options: Omit<EngineOptions, 'state' | 'fsync'> & { readonly state?: string },
): Promise<Engines> {
  return startEngines({ state: '.local/test', ...options, fsync: false });
}
