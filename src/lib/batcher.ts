/** Someone who waits for the outcome of an item. */
interface Waiter<Item, Outcome> {
  readonly item: Item;
  resolve(outcome: Outcome): void;
  reject(error: unknown): void;
}

/** A run answered with another number of outcomes than it was given items. */
class OutcomesMissing extends Error {
  override readonly name = 'OutcomesMissing';
}

/**
 * Lets many callers share few runs: of a lane, at most one run is under way, and whoever comes meanwhile is taken along
 * by the next, so a busy lane costs one statement a round trip however many wait. A failed run fails all it took along.
 * @param run answers one outcome an item, in the items' order
 * @param itemsMax how many one run takes along
 */
export function shareRuns<Lane, Item, Outcome>(
  run: (lane: Lane, items: readonly Item[]) => Promise<readonly Outcome[]>,
  itemsMax: number,
): (lane: Lane, item: Item) => Promise<Outcome> {
  /** Lanes with a run under way, and who waits for the next. */
  const lanes = new Map<Lane, Waiter<Item, Outcome>[]>();

  async function runOnce(lane: Lane, waiters: readonly Waiter<Item, Outcome>[]): Promise<void> {
    try {
      const outcomes = await run(
        lane,
        waiters.map(({ item }) => item),
      );
      if (outcomes.length !== waiters.length) throw new OutcomesMissing(`${outcomes.length} of ${waiters.length}`);
      // Lengths were compared, so each waiter has its outcome; `undefined` may be one.
      for (const [at, waiter] of waiters.entries()) waiter.resolve(outcomes[at] as Outcome);
    } catch (error) {
      for (const waiter of waiters) waiter.reject(error);
    }
  }

  async function work(lane: Lane, waiting: Waiter<Item, Outcome>[]): Promise<void> {
    while (waiting.length > 0) await runOnce(lane, waiting.splice(0, itemsMax));
    lanes.delete(lane);
  }

  return (lane, item) => {
    const { promise, resolve, reject } = Promise.withResolvers<Outcome>();
    const waiter = { item, resolve, reject };
    const waiting = lanes.get(lane);
    if (waiting !== undefined) waiting.push(waiter);
    else {
      const first = [waiter];
      lanes.set(lane, first);
      void work(lane, first);
    }
    return promise;
  };
}
