import { hourMs } from '../../../src/lib/durations.ts';
import type { Constants } from './constants.ts';
import type { Plan } from './plan.ts';

// How long a rebuild of one kind takes while changes go on: the steps of docs/indexing.md, one after another.

/** Elasticsearch's default of indices.recovery.max_bytes_per_sec; not measured here. */
export const recoveryBytesPerSecond = 40e6;
/** As indexer/reindex/replicas.ts waits for copies before it swaps. */
export const copiesWaitHours = 1 / 6;

export interface Rebuild {
  readonly loadHours: number;
  readonly mergeHours: number;
  /** Null: changes arrive faster than they are applied, and the reindex is interrupted. */
  readonly catchUpHours: number | null;
  readonly verifyHours: number;
  /** Until all copies are there, if Elasticsearch copies as fast as it does by default. */
  readonly copyHours: number;
  /** Until the swap. Null: never. */
  readonly hours: number | null;
}

/** @param pace rows and changes a second, as simulated beside the searches and changes */
export function rebuildOf(
  { asked, layout }: Plan,
  constants: Constants,
  pace: { readonly loadedPerSecond: number; readonly caughtUpPerSecond: number },
): Rebuild {
  const { rows, changesPerSecond } = asked;
  const rowsOfShard = rows / layout.shards;
  const loadHours = rows / pace.loadedPerSecond / 3_600;
  const mergeHours = (rowsOfShard * constants.finishMs.value) / hourMs;
  const verifyHours = (rows * constants.verifyMs.value) / hourMs;
  // What comes while it catches up is caught up with, too.
  const arriving = changesPerSecond / pace.caughtUpPerSecond;
  const catchUpHours = arriving >= 1 ? null : ((loadHours + mergeHours) * arriving) / (1 - arriving);
  const copyHours = ((layout.copies - 1) * rowsOfShard * constants.indexBytes.value) / recoveryBytesPerSecond / 3_600;
  const waited = Math.min(copyHours, copiesWaitHours);
  return {
    loadHours,
    mergeHours,
    catchUpHours,
    verifyHours,
    copyHours,
    hours: catchUpHours === null ? null : loadHours + mergeHours + catchUpHours + verifyHours + waited,
  };
}
