/** The limit of items that are read ahead. A single item may exceed it. */
export interface ReadAheadLimits<Item> {
  readonly room: number;
  readonly sizeOf: (item: Item) => number;
}

/**
 * Reads items while the consumer works on earlier ones, and yields all that have arrived. Stops reading when the
 * consumer stops. If the source fails, yields the items before the error, then rejects with it.
 */
export async function* readAhead<Item>(
  source: AsyncIterable<Item>,
  { room, sizeOf }: ReadAheadLimits<Item>,
): AsyncGenerator<readonly [Item, ...Item[]], void, undefined> {
  let held: Item[] = [];
  let size = 0;
  let moved = Promise.withResolvers<void>();
  const state = { ended: false, stopped: false };
  const move = (): void => {
    moved.resolve();
    moved = Promise.withResolvers();
  };
  const read = async (): Promise<void> => {
    for await (const item of source) {
      held.push(item);
      size += sizeOf(item);
      move();
      while (size >= room && !state.stopped) await moved.promise;
      if (state.stopped) return;
    }
  };
  const reading = read().finally(() => {
    state.ended = true;
    move();
  });
  // Its rejection is handled below, after the items before it were yielded.
  reading.catch(() => undefined);
  try {
    for (;;) {
      while (held.length === 0 && !state.ended) await moved.promise;
      const [first, ...others] = held;
      if (first === undefined) break;
      held = [];
      size = 0;
      move();
      yield [first, ...others];
    }
    await reading;
  } finally {
    state.stopped = true;
    move();
    // Any failure was thrown above, or the consumer has stopped.
    await reading.catch(() => undefined);
  }
}
