import type { Command } from 'commander';
import { verifyGeneration } from '../../../indexer/verify/verify.ts';
import type { KindName } from '../../../src/kinds/kind.ts';
import type { CommandContext } from '../../context.ts';
import { defineCommand } from '../../define-command.ts';
import { type CompareFlags, compareEach, compareOptions, printReports, summaryOf } from './compare-generations.ts';

export function verifyCommand(context: CommandContext): Command {
  const command = defineCommand('verify', 'prove that indices hold exactly the rows of the tables', {
    notes: `Every row is compared with its document by the hash that the document carries; with --deep by its whole
contents. Runs next to sync and writers: changes that are on their way into the index are waited for, not reported.
If no sync runs, documents with pending changes are counted as unjudged (exit code 4).
The result for a searched index is shown by status and to operators on the account page.

Exit codes: 0 equal, 2 something is missing, extra, stale, corrupt or unreadable, 4 equal except for pending changes.`,
    examples: ['verify', 'verify companies --deep', 'verify people --generation 3 --json'],
  });
  return compareOptions(command).action(async (kinds: readonly KindName[], flags: CompareFlags) => {
    const reports = await compareEach(context, kinds, flags, 'verify', verifyGeneration, (report) => report);
    printReports(context, reports.map(summaryOf), reports);
  });
}
