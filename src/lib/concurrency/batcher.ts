/** A caller who waits for the outcome of an item. */
interface Waiter<Item, Outcome> {
  readonly item: Item;
  resolve(outcome: Outcome): void;
  reject(error: unknown): void;
}

/** A batch answered with another number of outcomes than it was given items. */
class OutcomesMissing extends Error {
  override readonly name = 'OutcomesMissing';
}

/**
 * Lets many callers share few runs: of a key at most one batch runs at a time, and items that arrive meanwhile go into
 * the next one, so a busy key costs one statement a round trip however many wait. A failed batch fails all its items.
 * @param run answers one outcome an item, in the items' order
 */
export function createBatcher<Key, Item, Outcome>(
  run: (key: Key, items: readonly Item[]) => Promise<readonly Outcome[]>,
  batchMax: number,
): (key: Key, item: Item) => Promise<Outcome> {
  /** Callers that wait for the next batch, by each key with a running batch. */
  const queues = new Map<Key, Waiter<Item, Outcome>[]>();

  async function runBatch(key: Key, waiters: readonly Waiter<Item, Outcome>[]): Promise<void> {
    try {
      const outcomes = await run(
        key,
        waiters.map(({ item }) => item),
      );
      if (outcomes.length !== waiters.length) throw new OutcomesMissing(`${outcomes.length} of ${waiters.length}`);
      // Lengths were compared, so each waiter has its outcome; `undefined` may be one.
      for (const [at, waiter] of waiters.entries()) waiter.resolve(outcomes[at] as Outcome);
    } catch (error) {
      for (const waiter of waiters) waiter.reject(error);
    }
  }

  async function drain(key: Key, queue: Waiter<Item, Outcome>[]): Promise<void> {
    while (queue.length > 0) await runBatch(key, queue.splice(0, batchMax));
    queues.delete(key);
  }

  return (key, item) => {
    const { promise, resolve, reject } = Promise.withResolvers<Outcome>();
    const waiter = { item, resolve, reject };
    const queue = queues.get(key);
    if (queue !== undefined) queue.push(waiter);
    else {
      const first = [waiter];
      queues.set(key, first);
      void drain(key, first);
    }
    return promise;
  };
}
