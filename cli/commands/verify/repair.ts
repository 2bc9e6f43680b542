import type { Command } from 'commander';
import { refuseTransactionPooling } from '../../../indexer/transaction-pooling.ts';
import { type RepairReport, repairGeneration } from '../../../indexer/verify/repair.ts';
import type { KindName } from '../../../src/kinds/kind.ts';
import type { CommandContext } from '../../context.ts';
import { defineCommand } from '../../define-command.ts';
import { type CompareFlags, compareEach, compareOptions, printReports, summaryOf } from './compare-generations.ts';

export function repairCommand(context: CommandContext): Command {
  const command = defineCommand('repair', 'verify, repair exactly what differs, and verify again', {
    notes: `Documents that are missing, stale or corrupt are written again from their rows; those without a row are deleted.
Nothing else is touched. Runs next to sync, reindex and writers: the later state of a document wins.

Exit codes: 0 equal now, 2 something still differs, 4 equal except for pending changes.`,
    examples: ['repair', 'repair companies --deep', 'repair people --generation 3'],
  });
  return compareOptions(command).action(async (kinds: readonly KindName[], flags: CompareFlags) => {
    await refuseTransactionPooling(context.env);
    const reports = await compareEach(context, kinds, flags, 'repair', repairGeneration, lastOf);
    printReports(context, reports.map(summary), reports.map(lastOf));
  });
}

const lastOf = ({ found, after }: RepairReport) => after ?? found;

function summary(report: RepairReport) {
  const { differed, written, superseded, deleted, deadLetters } = report;
  const { samples, ...now } = summaryOf(lastOf(report));
  return { ...now, differed, written, superseded, deleted, dead_letters: deadLetters, samples };
}
