import type { Command } from 'commander';
import { repairGeneration } from '../../indexer/verify/repair.ts';
import type { KindName } from '../../src/kinds/kind.ts';
import type { CommandContext } from '../context.ts';
import { defineCommand } from '../define-command.ts';
import { type CompareFlags, compareEach, compareOptions } from './verify.ts';

export function makeCommand(context: CommandContext): Command {
  const command = defineCommand('repair', {
    notes: `Documents that are missing, stale or corrupt are written again from their rows; those without a row are deleted.
Nothing else is touched. Runs next to sync, reindex and writers: the later state of a document wins.

Exit codes: 0 equal now, 2 something still differs, 4 equal except for pending changes.`,
    examples: ['repair', 'repair companies --deep', 'repair people --generation 3'],
  });
  return compareOptions(command).action(async (kinds: readonly KindName[], flags: CompareFlags) => {
    await compareEach(context, kinds, flags, 'repair', async (...given) => {
      const { after, found, differed, written, superseded, deleted, deadLetters } = await repairGeneration(...given);
      const repaired = { differed, written, superseded, deleted, dead_letters: deadLetters };
      return { last: after ?? found, repaired };
    });
  });
}
