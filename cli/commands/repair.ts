import { Command } from 'commander';
import { refuseTransactionPooling } from '../../indexer/transaction-pooling.ts';
import { type RepairReport, repairGeneration } from '../../indexer/verify/repair.ts';
import type { KindName } from '../../src/kinds/kind.ts';
import { type CompareFlags, compareEach, compareOptions, printReports, summaryOf } from '../compare-generations.ts';
import type { CommandContext } from '../context.ts';

export function repairCommand(context: CommandContext): Command {
  return compareOptions(new Command('repair').description('verify, repair exactly what differs, and verify again'))
    .addHelpText(
      'after',
      `
Documents that are missing, stale or corrupt are written anew from their rows; those without a row are deleted.
Nothing else is touched. Runs beside sync, reindex and writers: the later state of a document wins.

Exit codes: 0 equal now, 2 something still differs, 4 equal but for what waits in the change log.

Examples:
  $ entity-search repair
  $ entity-search repair companies --deep
  $ entity-search repair people --generation 3`,
    )
    .action(async (kinds: readonly KindName[], flags: CompareFlags) => {
      await refuseTransactionPooling(context.env);
      const reports = await compareEach(context, kinds, flags, 'repair', repairGeneration, lastOf);
      const summaries = reports.map((report) => summary(report, flags.samples));
      printReports(context, flags, summaries, reports.map(lastOf));
    });
}

const lastOf = ({ found, after }: RepairReport) => after ?? found;

function summary(report: RepairReport, samples: number) {
  const { differed, written, superseded, deleted, deadLetters } = report;
  const { samples: keys, ...now } = summaryOf(lastOf(report), samples);
  return { ...now, differed, written, superseded, deleted, dead_letters: deadLetters, samples: keys };
}
