import type { PrintLine } from './log-step.ts';

const sameKeypressMs = 1_000;
const parentCheckMs = 500;

/**
 * The end of a long-running command: the signal aborts at the first Ctrl-C, SIGTERM or closed terminal, and
 * when the npm that started us has died. A second Ctrl-C ends the process at once; what it started sees
 * that and stops by itself. One key press counts once, although npm passes it on a second time.
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
  // Only npm's death counts: without npm, a shell may end and leave us running on purpose.
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
  // The watch alone is no reason to stay.
  timer.unref();
}
