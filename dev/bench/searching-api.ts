import type { Database } from './databases.ts';
import { quantileOf } from './figures.ts';
import { unlimitedKeys } from './keys.ts';
import { type ProgramContext, startServer } from './programs.ts';
import { SequentialClient } from './sequential-client.ts';
import type { BenchSetup } from './setup.ts';

/** An API process that answers one search after another. */
export interface SearchingApi extends AsyncDisposable {
  /** Asks every query once. Returns the 95th percentile of the milliseconds until the whole answer was there. */
  p95Ms(): Promise<number>;
}

/**
 * Starts an API process and asks it every query once, so that it is warm.
 * @param paths of the queries
 */
export async function startSearchingApi(
  setup: BenchSetup,
  database: Database,
  program: ProgramContext,
  paths: readonly string[],
): Promise<SearchingApi> {
  const [key = ''] = await unlimitedKeys(database, 1);
  const api = await startServer(['src/main.ts'], { ...program, logFile: setup.path('log/bench-api.log') });
  const connection = new SequentialClient(api.url);
  const headers = { Authorization: `Bearer ${key}` };
  const p95Ms = async (): Promise<number> => {
    const tookMs: number[] = [];
    for (const path of paths) {
      setup.signal.throwIfAborted();
      tookMs.push(await connection.ask({ method: 'GET', path, headers }));
    }
    return quantileOf(tookMs, 0.95);
  };
  const stop = async (): Promise<void> => {
    connection[Symbol.dispose]();
    await api.stop();
  };
  try {
    await p95Ms();
    return { p95Ms, [Symbol.asyncDispose]: stop };
  } catch (error) {
    await stop();
    throw error;
  }
}
