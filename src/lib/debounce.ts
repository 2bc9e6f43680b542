/** Work that is done a while after it was asked for, once for all who asked meanwhile. */
export interface Later {
  soon(): void;
  /** Does at once what is still to be done, and asks for nothing more. */
  finish(): Promise<void>;
}

/**
 * @param work never rejects; asks again by itself for what it could not do
 * @param afterMs from the first request to the work
 */
export function later(work: () => Promise<void>, afterMs: number): Later {
  let timer: NodeJS.Timeout | undefined;
  let running = Promise.resolve();
  let finished = false;

  function start(): void {
    timer = undefined;
    running = running.then(work);
  }

  return {
    soon() {
      if (finished || timer !== undefined) return;
      timer = setTimeout(start, afterMs);
      // What is waiting must not keep a process alive that has nothing else to do: finish() is there for its end.
      timer.unref();
    },
    async finish() {
      finished = true;
      clearTimeout(timer);
      start();
      await running;
    },
  };
}
