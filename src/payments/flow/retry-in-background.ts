import type { PaymentLog } from './context.ts';

/** The dependencies of retrying in the background. */
export interface RetryDeps {
  readonly elapsed: () => number;
  /** Resolves after the time, or at once when the signal is aborted; never rejects. */
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<void>;
  /** Aborted when the process ends: then the change is tried one last time. */
  readonly closing: AbortSignal;
  readonly log: PaymentLog;
}

/**
 * The time for which a change is retried while the database is unavailable, and the pause between tries, in
 * milliseconds.
 */
const retryForMs = 10 * 60_000;
const pauseMs = 500;

/** Tries a change until the database takes it. Never rejects. */
export async function retryInBackground(what: string, action: () => Promise<unknown>, deps: RetryDeps): Promise<void> {
  const begun = deps.elapsed();
  for (;;) {
    const last = deps.closing.aborted || deps.elapsed() - begun > retryForMs;
    try {
      await action();
      return;
    } catch (error) {
      if (last) return deps.log.error({ err: error, what }, 'a change of a payment was given up');
    }
    await deps.sleep(pauseMs, deps.closing);
  }
}
