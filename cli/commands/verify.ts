import { Command } from 'commander';
import { verifyGeneration } from '../../indexer/verify/verify.ts';
import type { KindName } from '../../src/kinds/kind.ts';
import { type CompareFlags, compareEach, compareOptions, printReports, summaryOf } from '../compare-generations.ts';
import type { CommandContext } from '../context.ts';

export function verifyCommand(context: CommandContext): Command {
  return compareOptions(new Command('verify').description('prove that indices hold exactly what the tables say'))
    .addHelpText(
      'after',
      `
Every row is compared with its document by the hash that the document carries; with --deep by its whole
contents. Runs beside sync and writers: what is still on its way into the index is waited for, not reported.
Where no sync runs, documents that wait in the change log are counted as unjudged (exit code 4).
What was found of a searched index is shown by status and to operators on the account page.

Exit codes: 0 equal, 2 something is missing, extra, stale, corrupt or unreadable, 4 equal but for what waits in the change log.

Examples:
  $ entity-search verify
  $ entity-search verify companies --deep
  $ entity-search verify people --generation 3 --json`,
    )
    .action(async (kinds: readonly KindName[], flags: CompareFlags) => {
      const reports = await compareEach(context, kinds, flags, 'verify', verifyGeneration, (report) => report);
      const summaries = reports.map((report) => summaryOf(report, flags.samples));
      printReports(context, flags, summaries, reports);
    });
}
