import type { PrintLine } from './log-step.ts';

const sameKeypressMs = 1_000;
const parentCheckMs = 500;

/**
 * Returns the signal that ends a long-running command. It aborts at the first Ctrl-C, SIGTERM or closed terminal, and
 * when the npm that started us has died. A second Ctrl-C ends the process immediately, and its children stop by
 * themselves. A key press counts once, although npm forwards it.
 */
export function shutdownSignal(
  what: string,
  env: Readonly<Record<string, string | undefined>>,
  printLine: PrintLine,
): AbortSignal {
  const stopping = new AbortController();
  let firstAt = 0;
  const stop = (why: string): void => {
    if (!stopping.signal.aborted) {
      firstAt = performance.now();
      printLine(`${why}: stopping ${what} …`);
      stopping.abort(new Error(`Stopped: ${why}.`));
    } else if (performance.now() - firstAt > sameKeypressMs) {
      process.exit(130);
    }
  };
  process.on('SIGINT', () => stop('Ctrl-C'));
  process.on('SIGTERM', () => stop('SIGTERM'));
  process.on('SIGHUP', () => stop('The terminal has gone'));
  // Only npm's death counts, because a shell may end and intentionally leave the process running.
  if (env.npm_lifecycle_event !== undefined) whenParentDies(() => stop('npm has ended'));
  return stopping.signal;
}

export function untilAborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
}

function whenParentDies(act: () => void): void {
  const parent = process.ppid;
  const timer = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(timer);
    act();
  }, parentCheckMs);
  // The watch doesn't keep the process alive.
  timer.unref();
}
