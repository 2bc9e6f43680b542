import type { Generation } from '../generations/generations.ts';
import type { LoadCounts } from '../generations/model.ts';
import { type LoadOptions, loadAllParts } from '../load/load-parts.ts';
import { type LoadState, noteLoad, openLoad } from '../load/parts.ts';
import type { LoadRun } from '../load/run.ts';
import type { WriteContext } from '../write/write-context.ts';
import type { ReindexConfig } from './config.ts';

export type ReindexContext = WriteContext<ReindexConfig>;

/**
 * Sends every row of a generation's kind to its index, together with all who help: what an earlier run has loaded is not
 * loaded again. Rejects as `loadAllParts` does.
 */
export async function loadGeneration(
  context: ReindexContext,
  run: LoadRun,
  generation: Generation,
  options: Omit<LoadOptions, 'onState'>,
): Promise<LoadCounts> {
  const { pool, config, nowMs } = context;
  const member = await run.member();
  await openLoad(pool, generation, { runId: member.runId, limits: config.load });
  let notedMs = Number.NEGATIVE_INFINITY;
  const onState = async (state: LoadState): Promise<void> => {
    if (nowMs() - notedMs < config.load.beatMs && !options.signal.aborted && state.open > 0) return;
    notedMs = nowMs();
    await noteLoad(pool, generation, state);
  };
  const { rows, bytes, deadLetters } = await loadAllParts(context, member, generation, { ...options, onState });
  return { rows, bytes, deadLetters };
}
