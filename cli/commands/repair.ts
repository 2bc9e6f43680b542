import { Command } from 'commander';
import { refuseTransactionPooling } from '../../indexer/transaction-pooling.ts';
import { type RepairReport, repairGeneration } from '../../indexer/verify/repair.ts';
import type { KindName } from '../../src/kinds/kind.ts';
import { withEngines } from '../connections.ts';
import type { CommandContext } from '../context.ts';
import {
  type CompareFlags,
  codeOf,
  compareOptions,
  compareProgress,
  printProblems,
  showCompare,
  summaryOf,
  wantedGenerations,
} from './verify.ts';

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
      const { verify: config } = context.limits;
      const reports: RepairReport[] = [];
      await withEngines(context, config.windowsAtOnce, async (engines) => {
        await refuseTransactionPooling(context.env);
        for (const generation of await wantedGenerations(context, engines, kinds, flags)) {
          using progress = await showCompare(context, engines, generation, 'repair');
          const options = {
            deep: flags.deep ?? false,
            signal: context.signal,
            onProgress: compareProgress(progress),
            onRepaired: (done: number, total: number) => progress.update(total, { repaired: done }),
          };
          reports.push(await repairGeneration(engines.parts, generation, options));
        }
      });
      const last = reports.map(({ found, after }) => after ?? found);
      const summaries = reports.map((report) => summary(report, flags.samples));
      context.terminal.printEach(summaries, flags);
      printProblems(context, last);
      context.exitWith(codeOf(last));
    });
}

function summary(report: RepairReport, samples: number) {
  const { found, after, differed, written, superseded, deleted, deadLetters } = report;
  const { samples: keys, ...now } = summaryOf(after ?? found, samples);
  return { ...now, differed, written, superseded, deleted, dead_letters: deadLetters, samples: keys };
}
