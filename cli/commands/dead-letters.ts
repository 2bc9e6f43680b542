import { Command } from 'commander';
import { listDeadLetters } from '../../indexer/dead-letters/dead-letters.ts';
import { refuseForeignOwner } from '../../indexer/generations/alias-conflict.ts';
import { generationById } from '../../indexer/generations/stored-generation.ts';
import { addCounts, noCounts, rewriteDocuments } from '../../indexer/write/rewrite-documents.ts';
import type { KindName } from '../../src/kinds/kind.ts';
import { idList, kindsArgument } from '../arguments.ts';
import { withDatabase, withDocumentCommand } from '../connections.ts';
import type { CommandContext } from '../context.ts';
import { defineCommand } from '../define-command.ts';
import { exitCodes } from '../exit-codes.ts';
import { Progress } from '../progress/progress.ts';

export function makeCommand(context: CommandContext): Command {
  return new Command('dead-letters')
    .addCommand(listCommand(context), { isDefault: true })
    .addCommand(retryCommand(context));
}

const listedAtMost = 100;

function listCommand(context: CommandContext): Command {
  return defineCommand('list', {
    description: `list the latest ${listedAtMost}`,
    notes: `A dead letter is removed when its row is accepted later, whether sync, repair or retry sends it.
With --ids, each has its document as it was sent.`,
    examples: ['dead-letters', 'dead-letters list companies', 'dead-letters list --ids 17 --json'],
  })
    .addArgument(kindsArgument())
    .option('--ids <ids>', 'only these, separated by commas', idList)
    .action(async (kinds: readonly KindName[], { ids }: { readonly ids?: readonly number[] }) => {
      const filter = { kinds, ids, limit: listedAtMost, documents: ids !== undefined };
      const letters = await withDatabase(context, (pool) => listDeadLetters(pool, filter));
      const rows = letters.map(({ generationId: _, firstAt, lastAt, ...letter }) => ({
        ...letter,
        first_at: firstAt,
        last_at: lastAt,
      }));
      context.terminal.printRows(rows, 'There are no dead letters.');
    });
}

function retryCommand(context: CommandContext): Command {
  return defineCommand('retry', {
    description: 'read their rows again and send them again',
    notes: `Sends each row as it is now. Dead letters whose row is gone are removed. Exit code 2: some were rejected again.`,
    examples: ['dead-letters retry', 'dead-letters retry companies'],
  })
    .addArgument(kindsArgument())
    .action(async (kinds: readonly KindName[]) => {
      const result = await withDocumentCommand(context, 2, async (engines) => {
        await refuseForeignOwner(engines, kinds);
        const filter = { kinds, ids: undefined, limit: retriedAtMost, documents: false };
        const letters = await listDeadLetters(engines.pool, filter);
        let total = noCounts;
        using progress = new Progress(context);
        for (const [generationId, group] of Map.groupBy(letters, (letter) => letter.generationId)) {
          const generation = await generationById(engines.pool, generationId);
          const ids = group.map(({ id }) => id).sort((one, other) => one - other);
          using work = progress.start({ kind: generation.kind, phase: 'retry', total: ids.length });
          const onProgress = (done: number): void => work.update({ done });
          const options = { signal: context.signal, onProgress };
          total = addCounts(total, await rewriteDocuments(engines, generation, ids, options));
        }
        const { deadLetters, ...counts } = total;
        return { retried: letters.length, ...counts, dead_letters: deadLetters };
      });
      context.terminal.printResult(result);
      if (result.dead_letters > 0) context.exitWith(exitCodes.partial);
    });
}

/** Maximum number of letters per run; the next run takes the rest. */
const retriedAtMost = 100_000;
