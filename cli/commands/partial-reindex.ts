import { refuseForeignOwner } from '../../indexer/generations/alias-conflict.ts';
import type { Generation } from '../../indexer/generations/generations.ts';
import { liveGeneration } from '../../indexer/generations/stored-generation.ts';
import { idsSince, rewriteDocuments, type WriteCounts } from '../../indexer/partial-reindex/partial-reindex.ts';
import type { KindName } from '../../src/kinds/kind.ts';
import { type DocumentCommandContext, withDocumentCommand } from '../connections.ts';
import type { CommandContext } from '../context.ts';
import { CommandError } from '../errors.ts';
import { exitCodes } from '../exit-codes.ts';
import { showProgress } from '../progress/display.ts';

/** Rows of the live generations to read again. */
export interface PartialReindexFlags {
  readonly ids?: readonly number[];
  readonly since?: Date;
}

/** Returns true if only some rows are read again. Throws `CommandError` for flags that contradict each other. */
export function isPartialReindex({ ids, since }: PartialReindexFlags, kinds: readonly KindName[]): boolean {
  if (ids !== undefined && since !== undefined) throw new CommandError('Give --ids or --since.', exitCodes.usage);
  if (ids !== undefined && kinds.length !== 1) {
    throw new CommandError(
      'Name the one kind whose ids these are, such as: reindex companies --ids 1,2',
      exitCodes.usage,
    );
  }
  return ids !== undefined || since !== undefined;
}

/** Brings some documents of the live generations up to date with the tables, without building new generations. */
export async function runPartialReindex(
  context: CommandContext,
  kinds: readonly KindName[],
  flags: PartialReindexFlags,
): Promise<void> {
  const results = await withDocumentCommand(context, 2, async (engines) => {
    await refuseForeignOwner(engines, kinds);
    const each: (WriteCounts & { readonly kind: KindName; readonly generation: string })[] = [];
    for (const kind of kinds) each.push(await reindexKindPartially(context, engines, kind, flags));
    return each;
  });
  const rows = results.map(({ deadLetters, ...counts }) => ({ ...counts, dead_letters: deadLetters }));
  context.terminal.printEach(rows);
  if (results.some(({ deadLetters }) => deadLetters > 0)) context.exitWith(exitCodes.partial);
}

async function reindexKindPartially(
  context: CommandContext,
  engines: DocumentCommandContext,
  kind: KindName,
  { ids, since }: PartialReindexFlags,
) {
  const generation = await liveGeneration(engines, kind);
  const wanted = ids ?? (since === undefined ? [] : await idsSince(engines.pool, kind, since));
  const counts = await rewriteWithProgress(context, engines, generation, { phase: 'part', ids: wanted });
  return { kind, generation: generation.indexName, ...counts };
}

export async function rewriteWithProgress(
  { terminal, signal }: CommandContext,
  { writeContext }: DocumentCommandContext,
  generation: Generation,
  { phase, ids }: { readonly phase: string; readonly ids: readonly number[] },
): Promise<WriteCounts> {
  using progress = showProgress(terminal, { kind: generation.kind, phase, total: ids.length }, writeContext.nowMs);
  const onProgress = (done: number): void => progress.update(done);
  return await rewriteDocuments(writeContext, generation, ids, { signal, onProgress });
}
