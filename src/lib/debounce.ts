/** Work that many callers schedule and that runs once for all of them, after a delay. */
export interface Debounced {
  schedule(): void;
  /** Runs scheduled work now. Later calls of `schedule` do nothing. */
  flush(): Promise<void>;
}

/**
 * @param work never rejects; schedules itself again for anything left
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
      // The timer doesn't keep the process alive. Call `flush` before the process ends.
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
