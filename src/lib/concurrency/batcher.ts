interface Waiter<Item, Outcome> {
  readonly item: Item;
  resolve(outcome: Outcome): void;
  reject(error: unknown): void;
}

/** A batch returned more or fewer outcomes than it had items. */
class OutcomesMissing extends Error {
  override readonly name = 'OutcomesMissing';
}

/**
 * Combines concurrent calls into batches. At most one batch per key runs at a time; items that arrive meanwhile go into
 * the next one. So a busy key costs one statement per round trip, however many callers wait. If a batch fails, all its
 * items fail.
 * @param run returns one outcome per item, in the order of the items
 */
export function createBatcher<Key, Item, Outcome>(
  run: (key: Key, items: readonly Item[]) => Promise<readonly Outcome[]>,
  batchMax: number,
): (key: Key, item: Item) => Promise<Outcome> {
  /** The callers that wait for the next batch, for each key with a running batch. */
  const queues = new Map<Key, Waiter<Item, Outcome>[]>();

  async function runBatch(key: Key, waiters: readonly Waiter<Item, Outcome>[]): Promise<void> {
    try {
      const outcomes = await run(
        key,
        waiters.map(({ item }) => item),
      );
      if (outcomes.length !== waiters.length) throw new OutcomesMissing(`${outcomes.length} of ${waiters.length}`);
      // The lengths are equal, so each waiter has an outcome, which may be `undefined`.
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
