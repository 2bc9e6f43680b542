import type { Command } from 'commander';
import { type ImportReport, importFolder } from '../../indexer/import/import-folder.ts';
import { databaseConfig } from '../../src/config/indexer.ts';
import { importOrder } from '../../src/kinds/relations.ts';
import type { CommandContext } from '../context.ts';
import { defineCommand } from '../define-command.ts';
import { type ExitCode, exitCodes } from '../exit-codes.ts';
import { showImport } from '../progress/import.ts';
import { Progress } from '../progress/progress.ts';

interface Flags {
  readonly strict?: boolean;
  readonly prune?: boolean;
}

const notes = `DIR holds ${new Intl.ListFormat('en-GB').format(importOrder.map((kind) => `${kind}.ndjson`))}: one JSON object a line, with at
least id, name and slug. They may end with .jsonl, and be compressed with gzip (.ndjson.gz, .jsonl.gz). Missing fields and
null mean unknown. Without a file, its kind stays as it is.
Entities are matched by id. Unchanged ones are not written, so a repeated import changes nothing.

Bad lines are reported as file:line: path: message, the good ones are imported, and the exit code is 2.
Each batch of lines is one transaction: an import that is stopped keeps the batches before it and can be run again.
With --strict the whole import is one transaction: everything, or nothing if any line is bad (exit code 3).
With --prune, entities that are not in a kind's file are removed, unless the file has a bad line or is empty (exit code 2).

Lines can be 1 MiB long. 50 bad lines are reported one by one, the rest are counted.
If views replace tables (docs/existing-database.md), nothing is imported (exit code 3).
Settings: DATABASE_URL (docs/reference/settings.md).`;

export function makeCommand(context: CommandContext): Command {
  return defineCommand('import', {
    notes,
    examples: ['import ./data', 'import ./data --strict --prune', 'import ./data --json'],
  })
    .argument('<DIR>', 'the folder with the files')
    .option('--strict', 'import nothing if any line is bad')
    .option('--prune', 'remove entities that are not in the files')
    .action(async (directory: string, flags: Flags) => {
      const report = await run(context, directory, flags);
      printReport(context, report);
      context.exitWith(exitCodeOf(report));
    });
}

async function run(context: CommandContext, directory: string, flags: Flags): Promise<ImportReport> {
  const { import: limits } = context.limits;
  using progress = new Progress(context);
  using observer = showImport(progress, limits.badLinesShown);
  const { strict = false, prune = false } = flags;
  return await importFolder(
    { ...databaseConfig(context.env), applicationName: 'entity-search import' },
    { directory, strict, prune, limits },
    observer,
    context.signal,
  );
}

function printReport({ terminal }: CommandContext, report: ImportReport): void {
  terminal.printRows(report.kinds, 'Nothing was imported.');
  if (report.refused !== undefined) terminal.fail(report.refused);
  if (report.interrupted) terminal.warn('Interrupted. The batches counted above are kept; run it again to continue.');
}

function exitCodeOf(report: ImportReport): ExitCode {
  if (report.interrupted) return exitCodes.interrupted;
  const written = report.kinds.some(({ inserted, updated, unchanged }) => inserted + updated + unchanged > 0);
  // Only the pruning was refused; the lines were imported.
  if (report.refused !== undefined) return written ? exitCodes.partial : exitCodes.refused;
  return report.kinds.some((counts) => counts.bad > 0) ? exitCodes.partial : exitCodes.ok;
}
