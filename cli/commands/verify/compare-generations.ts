import type { Command } from 'commander';
import { refuseForeignOwner } from '../../../indexer/generations/alias-conflict.ts';
import { estimateRows } from '../../../indexer/generations/generations.ts';
import {
  liveGeneration,
  numberedGeneration,
  type StoredGeneration,
} from '../../../indexer/generations/stored-generation.ts';
import { type Difference, differenceKinds } from '../../../indexer/verify/differences.ts';
import type { VerifyReport } from '../../../indexer/verify/verify.ts';
import { type KindName, kindNames } from '../../../src/kinds/kind.ts';
import { counted } from '../../../src/lib/text/counted.ts';
import { recordVerification } from '../../../src/postgres/verifications.ts';
import { kindsArgument, positiveNumber } from '../../arguments.ts';
import { type DocumentCommandContext, withDocumentCommand } from '../../connections.ts';
import type { CommandContext } from '../../context.ts';
import { type ExitCode, exitCodes } from '../../exit-codes.ts';
import { showProgress } from '../../progress/display.ts';

export interface CompareFlags {
  readonly generation?: number;
  readonly deep?: boolean;
}

export function compareOptions(command: Command): Command {
  return command
    .addArgument(kindsArgument())
    .option('--generation <number>', 'this generation (of one kind) instead of the live one', positiveNumber)
    .option('--deep', 'compare whole documents, not only their hashes: finds contents that were changed without them');
}

interface CompareOptions {
  readonly deep: boolean;
  readonly signal: AbortSignal;
  readonly onProgress: (scan: { readonly rows: number; readonly suspects: number }) => void;
  readonly onRepaired: (done: number, total: number) => void;
}

/**
 * Compares the generations that the flags select, one after the other, in the order of kinds, and stores the results of
 * those that are searched.
 * @param lastOf returns the last comparison of a report
 */
export async function compareEach<Report>(
  context: CommandContext,
  kinds: readonly KindName[],
  { generation: number, deep = false }: CompareFlags,
  phase: 'verify' | 'repair',
  compare: (
    deps: DocumentCommandContext['writeContext'],
    generation: StoredGeneration,
    options: CompareOptions,
  ) => Promise<Report>,
  lastOf: (report: Report) => VerifyReport,
): Promise<readonly Report[]> {
  const { signal, terminal } = context;
  return withDocumentCommand(context, context.limits.verify.windowsAtOnce, async (engines) => {
    const { pool, writeContext } = engines;
    if (phase === 'repair') await refuseForeignOwner(engines, kinds);
    const generations: StoredGeneration[] = [];
    for (const kind of kindNames.filter((name) => kinds.includes(name))) {
      signal.throwIfAborted();
      const live = number === undefined;
      generations.push(await (live ? liveGeneration(engines, kind) : numberedGeneration(pool, kind, number)));
    }
    const reports: Report[] = [];
    for (const generation of generations) {
      const { kind } = generation;
      using progress = showProgress(
        terminal,
        { kind, phase, total: await estimateRows(pool, kind) },
        writeContext.nowMs,
      );
      const report = await compare(writeContext, generation, {
        deep,
        signal,
        onProgress: ({ rows, suspects }) => progress.update(rows, { suspects }),
        onRepaired: (done, total) => progress.update(total, { repaired: done }),
      });
      await recordVerification(pool, storedForm(lastOf(report)));
      reports.push(report);
    }
    return reports;
  });
}

function storedForm({ generation, equal, complete, differences, rows, deep }: VerifyReport) {
  const found = differences.length > 0 ? 'different' : 'unjudged';
  return {
    kind: generation.kind,
    generation: generation.indexName,
    outcome: equal ? 'equal' : complete ? found : 'incomplete',
    rows,
    differences: differences.length,
    deep,
  } as const;
}

const samples = 10;

/** Returns a report for printing: counts, and a few keys of each kind of difference. */
export function summaryOf(report: VerifyReport) {
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

/** Prints the results, and sets the exit code. */
export function printReports(
  context: CommandContext,
  summaries: readonly object[],
  reports: readonly VerifyReport[],
): void {
  context.terminal.printEach(summaries);
  for (const report of reports) for (const problem of problemsOf(report)) context.terminal.warn(problem);
  context.exitWith(exitCodeOf(reports));
}

function problemsOf({ generation, differences, unjudged, pending, complete }: VerifyReport): readonly string[] {
  const { indexName, kind } = generation;
  const problems: string[] = [];
  if (!complete) problems.push('the comparison stopped before its end; the rest is unknown.');
  if (differences.length > 0) {
    const next = complete ? 'Repair them with: entity-search repair' : 'Repair this many with: entity-search reindex';
    problems.push(
      `${complete ? '' : 'At least '}${counted(differences.length, 'document differs', 'documents differ')}. ${next} ${kind}`,
    );
  }
  const unreadable = differences.filter((one) => one.kind === 'unreadable').length;
  if (unreadable > 0) {
    problems.push(
      `${unreadable} of them are rows that can't be made into documents. See the reasons, after repair or sync has processed them: entity-search dead-letters ${kind}`,
    );
  }
  if (unjudged > 0) {
    problems.push(
      `${pending} entries wait in the change log, and ${unjudged} documents that differ were not compared because of them. Run entity-search sync, then verify again.`,
    );
  }
  return problems.map((problem) => `${indexName}: ${problem}`);
}

function exitCodeOf(reports: readonly VerifyReport[]): ExitCode {
  if (reports.some(({ differences }) => differences.length > 0)) return exitCodes.partial;
  return reports.every(({ equal }) => equal) ? exitCodes.ok : exitCodes.pending;
}
