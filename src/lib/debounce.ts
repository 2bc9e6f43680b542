/** Work that is scheduled by many callers and done once for all of them, a while later. */
export interface Debounced {
  schedule(): void;
  /** Does at once what is still to be done; later calls of `schedule` do nothing. */
  flush(): Promise<void>;
}

/**
 * @param work never rejects; schedules itself again for what it could not do
 * @param delayMs from the first call of `schedule` to the work
 */
export function debounce(work: () => Promise<void>, delayMs: number): Debounced {
  let timer: NodeJS.Timeout | undefined;
  let running = Promise.resolve();
  let closed = false;

  function start(): void {
    timer = undefined;
    running = running.then(work);
  }

  return {
    schedule() {
      if (closed || timer !== undefined) return;
      timer = setTimeout(start, delayMs);
      // A timer must not keep a process alive that has nothing else to do: flush() is there for its end.
      timer.unref();
    },
    async flush() {
      closed = true;
      clearTimeout(timer);
      start();
      await running;
    },
  };
}
