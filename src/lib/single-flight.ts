import type { Clock } from '../ports.ts';

/**
 * Runs `work` at most once at a time, and holds its outcome for a while: whoever calls meanwhile shares it. A failed
 * run is shared by those who waited for it and is not held.
 * @param holdMs counted from the end of the run
 */
export function held<Outcome>(work: () => Promise<Outcome>, holdMs: number, clock: Clock): () => Promise<Outcome> {
  let last: { outcome: Outcome; endedAtMs: number } | undefined;
  let running: Promise<Outcome> | undefined;

  async function run(): Promise<Outcome> {
    try {
      const outcome = await work();
      last = { outcome, endedAtMs: clock.elapsed() };
      return outcome;
    } finally {
      running = undefined;
    }
  }

  return () => {
    if (running !== undefined) return running;
    if (last !== undefined && clock.elapsed() - last.endedAtMs < holdMs) return Promise.resolve(last.outcome);
    running = run();
    return running;
  };
}

/**
 * What `work` comes to, or `otherwise` where it takes longer. The signal is aborted then, so that work can stop.
 * @param work never rejects
 */
export async function within<Outcome>(
  budgetMs: number,
  otherwise: Outcome,
  work: (signal: AbortSignal) => Promise<Outcome>,
): Promise<Outcome> {
  const controller = new AbortController();
  const late = Promise.withResolvers<Outcome>();
  const timer = setTimeout(() => {
    controller.abort();
    late.resolve(otherwise);
  }, budgetMs);
  try {
    return await Promise.race([work(controller.signal), late.promise]);
  } finally {
    clearTimeout(timer);
  }
}
