/** A clock with monotonic milliseconds. */
interface ElapsedClock {
  elapsed(): number;
}

/**
 * Runs `work` at most once at a time and caches its outcome. Concurrent calls share a run. Failures are not cached.
 * @param cacheMs time from the end of the run
 */
export function cachedSingleFlight<Outcome>(
  work: () => Promise<Outcome>,
  cacheMs: number,
  clock: ElapsedClock,
): () => Promise<Outcome> {
  let cached: { readonly outcome: Outcome; readonly endedAtMs: number } | undefined;
  let running: Promise<Outcome> | undefined;

  async function run(): Promise<Outcome> {
    try {
      const outcome = await work();
      cached = { outcome, endedAtMs: clock.elapsed() };
      return outcome;
    } finally {
      running = undefined;
    }
  }

  return () => {
    if (running !== undefined) return running;
    if (cached !== undefined && clock.elapsed() - cached.endedAtMs < cacheMs) return Promise.resolve(cached.outcome);
    running = run();
    return running;
  };
}
