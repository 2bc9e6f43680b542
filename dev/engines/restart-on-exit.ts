import { setTimeout as delay } from 'node:timers/promises';
import type { PrintLine } from '../lib/log-step.ts';

/** A server of ours that runs until `stop`, or until we die. */
export interface RunningEngine {
  readonly url: string;
  /** Settles, with how, when the server has ended, whoever ended it; absent where that can't be seen. */
  readonly exited?: Promise<string>;
  stop(): Promise<void>;
}

/** Long enough that a server that crashes again and again does not keep the machine busy. */
const pauseMs = 5_000;

/**
 * Starts an engine, and starts it again when it has ended without being asked to: under the same address, so that
 * whoever uses it finds it again. Says so, and says when that fails; then the engine stays away.
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
    for (let ended = await current.exited; ended !== undefined; ended = await current.exited) {
      if (signal.aborted) return;
      const pause = options.pauseMs ?? pauseMs;
      printLine(`${name} has ended by itself (${ended}). It is started again in ${pause / 1_000} s.`);
      await delay(pause, undefined, { signal });
      const next = await start(signal);
      current = next;
      if (next.url === url) continue;
      printLine(`${name} runs again, but its old address is taken: stop everything and start anew.`);
    }
  };
  const keeping = keep().catch((error: unknown) => {
    if (!signal.aborted)
      printLine(`${name} could not be started again: stop everything and start anew. ${String(error)}`);
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
