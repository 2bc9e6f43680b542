/** Runs work after all earlier work. Resolves or rejects as the work does. */
export type SerialQueue = <Result>(work: () => Promise<Result>) => Promise<Result>;

/** Runs work one at a time in the order of the calls. Work also runs after earlier work has failed. */
export function createSerialQueue(): SerialQueue {
  let last: Promise<unknown> = Promise.resolve();
  return (work) => {
    const current = last.then(work);
    last = current.catch(() => undefined);
    return current;
  };
}
