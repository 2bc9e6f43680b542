/** Runs work after all that was handed in before it; resolves or rejects as the work does. */
export type SerialQueue = <Result>(work: () => Promise<Result>) => Promise<Result>;

/** One piece of work at a time, in the order in which they were handed in. One that fails holds up nobody. */
export function createSerialQueue(): SerialQueue {
  let last: Promise<unknown> = Promise.resolve();
  return (work) => {
    const current = last.then(work);
    last = current.catch(() => undefined);
    return current;
  };
}
