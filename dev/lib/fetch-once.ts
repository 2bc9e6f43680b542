import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import type { PrintLine } from './log-step.ts';
import { until } from './processes.ts';
import { StateInUseError, takeLock } from './state.ts';

/** Programs or data can't be fetched. The message has the reason and the next step. */
export class FetchError extends Error {
  override readonly name = 'FetchError';
}

export interface FetchEnvironment {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly printLine: PrintLine;
  readonly signal?: AbortSignal | undefined;
}

export const fetchTimeoutMs = 300_000;

export async function fetchOnce(
  { what, into, isComplete }: { readonly what: string; readonly into: string; isComplete(): boolean },
  signal: AbortSignal | undefined,
  work: () => Promise<void>,
): Promise<void> {
  if (isComplete()) return;
  mkdirSync(dirname(into), { recursive: true });
  let release: (() => void) | undefined;
  const attempt = (): boolean => {
    try {
      release = takeLock(`${into}.lock`, `Fetching ${what}`);
      return true;
    } catch (error) {
      if (!(error instanceof StateInUseError)) throw error;
      return false;
    }
  };
  await until(attempt, { timeoutMs: fetchTimeoutMs, everyMs: 250, signal });
  if (release === undefined) {
    throw new FetchError(
      `Another process has been fetching ${what} for ${fetchTimeoutMs / 1_000} s: end it and start again.`,
    );
  }
  try {
    if (!isComplete()) await work();
  } finally {
    release();
  }
}
