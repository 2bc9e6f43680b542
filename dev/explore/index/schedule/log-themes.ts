import type { Draw, Theme } from './draw.ts';
import type { Step } from './step.ts';

// Schedules in which partitions of the log are emptied while transactions that have written there are open, and before
// and after readers have come so far.

/** Steps in a transaction that stays open over others. */
export function transaction(draw: Draw): readonly Step[] {
  const tx = 1 + draw.random.whole(2);
  return draw.one<() => readonly Step[]>(
    () => [{ do: draw.one('begin', 'begin-repeatable-read'), tx }, draw.write(tx)],
    () => [draw.write(tx)],
    () => [{ do: 'savepoint', tx }, draw.write(tx), { do: 'rollback-to-savepoint', tx }],
    () => [{ do: 'commit', tx }],
    () => [{ do: 'commit', tx }],
    () => [{ do: 'rollback', tx }],
  )();
}

export const logThemes: Readonly<Record<string, Theme>> = {
  pruning: {
    kinds: [['companies', 'people']],
    atLeast: 8,
    atMost: 14,
    choices: [
      [3, (draw) => [draw.write()]],
      [5, transaction],
      [5, () => [{ do: 'prune' }]],
      [2, () => [{ do: 'requests-end' }, { do: 'drain' }]],
      [2, () => [{ do: 'drain' }]],
      [1, (draw) => [{ do: 'drain', at: draw.kill('bulk') }]],
    ],
  },
};
