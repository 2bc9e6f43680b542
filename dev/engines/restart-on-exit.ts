import { setTimeout as delay } from 'node:timers/promises';
import type { PrintLine } from '../lib/log-step.ts';

/** A server that runs until `stop`, or until this process dies. */
export interface RunningEngine {
  readonly url: string;
  /** Resolves with the reason when the server has ended; missing if that can't be observed. */
  readonly exited?: Promise<string>;
  stop(): Promise<void>;
}

/** Pause before a restart, so that a server that crashes repeatedly does not keep the machine busy. */
const pauseMs = 5_000;

/**
 * Starts an engine, and restarts it under the same address when it ends unexpectedly. Reports restarts and their
 * failures. Tries again after a failure, because the engine may have been killed while it was starting.
 */
export async function restartOnExit(
  name: string,
  start: (signal: AbortSignal) => Promise<RunningEngine>,
  options: { readonly printLine: PrintLine; readonly signal?: AbortSignal | undefined; readonly pauseMs?: number },
): Promise<RunningEngine> {
  const { printLine } = options;
  const stopping = new AbortController();
  const signal = options.signal === undefined ? stopping.signal : AbortSignal.any([options.signal, stopping.signal]);
  let current = await start(signal);
  const { url } = current;

  const keep = async (): Promise<void> => {
    const pause = options.pauseMs ?? pauseMs;
    for (let ended = await current.exited; ended !== undefined && !signal.aborted; ) {
      printLine(`${name} has ended by itself (${ended}). It is started again in ${pause / 1_000} s.`);
      await delay(pause, undefined, { signal });
      try {
        current = await start(signal);
      } catch (error) {
        ended = `it could not be started: ${String(error)}`;
        continue;
      }
      if (current.url !== url)
        printLine(`${name} runs again, but its old address is taken: stop everything and start again.`);
      ended = await current.exited;
    }
  };
  const keeping = keep().catch((error: unknown) => {
    if (!signal.aborted) throw error;
  });
  return {
    url,
    async stop() {
      stopping.abort(new Error(`${name} is stopped.`));
      await current.stop();
      await keeping;
    },
  };
}
