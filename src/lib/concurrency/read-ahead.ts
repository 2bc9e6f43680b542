/** How much is read ahead: no more items than there is room for, and one that is larger by itself. */
export interface ReadAheadLimits<Item> {
  readonly room: number;
  readonly sizeOf: (item: Item) => number;
}

/**
 * Reads on while what was read is worked on, and gives out, each time, all that has come by then. The source is read one item at a time, in order, and not again after the consumer has stopped. Rejects as the
 * source does, after what came before that was given out.
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
  // It is awaited below, after what came before it failed.
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
    // A failure was told above, or nobody asks any more.
    await reading.catch(() => undefined);
  }
}
