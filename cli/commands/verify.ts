import { Command } from 'commander';
import { type ExitCode, exitCodes } from '../../indexer/exit-codes.ts';
import { estimateRows } from '../../indexer/generations/generations.ts';
import {
  liveGeneration,
  numberedGeneration,
  type StoredGeneration,
} from '../../indexer/generations/stored-generation.ts';
import { type Difference, differenceKinds } from '../../indexer/verify/differences.ts';
import { type VerifyReport, verifyGeneration } from '../../indexer/verify/verify.ts';
import { type KindName, kindNames } from '../../src/kinds/kind.ts';
import { kindsArgument, positiveNumber } from '../arguments.ts';
import { type Engines, withEngines } from '../connections.ts';
import type { CommandContext } from '../context.ts';
import { showProgress, type WorkProgress } from '../progress/display.ts';

/** Flags of verify and repair alike. */
export interface CompareFlags {
  readonly generation?: number;
  readonly deep?: boolean;
  readonly samples: number;
  readonly json?: boolean;
}

export function verifyCommand(context: CommandContext): Command {
  return compareOptions(new Command('verify').description('prove that indices hold exactly what the tables say'))
    .addHelpText(
      'after',
      `
Every row is compared with its document by the hash that the document carries; with --deep by its whole
contents. Runs beside sync and writers: what is still on its way into the index is waited for, not reported.
Where no sync runs, documents that wait in the change log are counted as unjudged (exit code 4).

Exit codes: 0 equal, 2 something is missing, extra, stale, corrupt or unreadable, 4 equal but for what waits in the change log.

Examples:
  $ entity-search verify
  $ entity-search verify companies --deep
  $ entity-search verify people --generation 3 --json`,
    )
    .action(async (kinds: readonly KindName[], flags: CompareFlags) => {
      const { verify: config } = context.limits;
      const reports: VerifyReport[] = [];
      await withEngines(context, config.windowsAtOnce, async (engines) => {
        for (const generation of await wantedGenerations(context, engines, kinds, flags)) {
          using progress = await showCompare(context, engines, generation, 'verify');
          const options = {
            deep: flags.deep ?? false,
            signal: context.signal,
            onProgress: compareProgress(progress),
          };
          reports.push(await verifyGeneration(engines.parts, generation, options));
        }
      });
      const summaries = reports.map((report) => summaryOf(report, flags.samples));
      context.terminal.printEach(summaries, flags);
      printProblems(context, reports);
      context.exitWith(codeOf(reports));
    });
}

export function compareOptions(command: Command): Command {
  return command
    .addArgument(kindsArgument())
    .option('--generation <number>', 'this generation (of one kind) instead of the live one', positiveNumber)
    .option('--deep', 'compare whole documents, not only their hashes: finds contents that were changed without them')
    .option('--samples <number>', 'how many ids of each kind of difference are shown', positiveNumber, 10)
    .option('--json', 'print the results as JSON');
}

/** The generations that are meant, in the order of kinds. */
export async function wantedGenerations(
  context: CommandContext,
  engines: Engines,
  kinds: readonly KindName[],
  { generation: number }: CompareFlags,
): Promise<readonly StoredGeneration[]> {
  const found: StoredGeneration[] = [];
  for (const kind of kindNames.filter((name) => kinds.includes(name))) {
    context.signal.throwIfAborted();
    found.push(
      number === undefined ? await liveGeneration(engines, kind) : await numberedGeneration(engines.pool, kind, number),
    );
  }
  return found;
}

export async function showCompare(
  { terminal }: CommandContext,
  { pool, parts }: Engines,
  { kind }: StoredGeneration,
  phase: string,
): Promise<WorkProgress> {
  return showProgress(terminal, { kind, phase, total: await estimateRows(pool, kind) }, parts.nowMs);
}

export function compareProgress(progress: WorkProgress): (scan: { rows: number; suspects: number }) => void {
  return ({ rows, suspects }) => progress.update(rows, { suspects });
}

/** A report as it is printed: counts, and a few keys of each kind of difference. */
export function summaryOf(report: VerifyReport, samples: number) {
  const { generation, differences, seconds } = report;
  const keysOf = (kind: Difference['kind']): readonly string[] =>
    differences.flatMap((one) => (one.kind === kind ? [one.key] : []));
  return {
    kind: generation.kind,
    generation: generation.indexName,
    equal: report.equal,
    rows: report.rows,
    documents: report.documents,
    ...Object.fromEntries(differenceKinds.map((kind) => [kind, keysOf(kind).length])),
    unjudged: report.unjudged,
    pending: report.pending,
    deep: report.deep,
    complete: report.complete,
    seconds: Math.round(seconds * 10) / 10,
    rows_per_second: seconds > 0 ? Math.round(report.rows / seconds) : 0,
    samples: Object.fromEntries(
      differenceKinds.flatMap((kind) => {
        const keys = keysOf(kind).slice(0, samples);
        return keys.length === 0 ? [] : [[kind, keys]];
      }),
    ),
  };
}

export function printProblems({ terminal }: CommandContext, reports: readonly VerifyReport[]): void {
  for (const { generation, differences, unjudged, pending, complete } of reports) {
    if (!complete) {
      terminal.warn(`${generation.indexName}: the comparison stopped before its end; nothing is said about the rest.`);
    }
    if (differences.length > 0) {
      const atLeast = complete ? '' : 'At least ';
      const next = complete
        ? 'Mend them with: entity-search repair'
        : 'So many are better mended by: entity-search reindex';
      terminal.warn(
        `${generation.indexName}: ${atLeast}${differences.length} documents differ. ${next} ${generation.kind}`,
      );
    }
    const unreadable = differences.filter(({ kind }) => kind === 'unreadable').length;
    if (unreadable > 0) {
      terminal.warn(
        `${generation.indexName}: ${unreadable} of them are rows that can't be made into documents. See why, after repair or sync has met them: entity-search dead-letters ${generation.kind}`,
      );
    }
    if (unjudged > 0) {
      terminal.warn(
        `${generation.indexName}: ${pending} entries wait in the change log, and ${unjudged} documents that differ were not compared because of them. Run entity-search sync, then verify again.`,
      );
    }
  }
}

export function codeOf(reports: readonly VerifyReport[]): ExitCode {
  if (reports.some(({ differences }) => differences.length > 0)) return exitCodes.partial;
  return reports.every(({ equal }) => equal) ? exitCodes.ok : exitCodes.pending;
}
