/** Runs work whenever it can; resolves or rejects as the work does. */
export type Turns = <Result>(work: () => Promise<Result>) => Promise<Result>;

/** One piece of work at a time, in the order in which they were handed in. One that fails holds up nobody. */
export function inTurn(): Turns {
  let last: Promise<unknown> = Promise.resolve();
  return (work) => {
    const mine = last.then(work);
    last = mine.catch(() => undefined);
    return mine;
  };
}
