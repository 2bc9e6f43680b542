import type { Command } from 'commander';
import { refuseForeignOwner } from '../../indexer/generations/alias-conflict.ts';
import { estimateRows } from '../../indexer/generations/generations.ts';
import {
  liveGeneration,
  numberedGeneration,
  type StoredGeneration,
} from '../../indexer/generations/stored-generation.ts';
import { compareShown } from '../../indexer/resolver/resolver.ts';
import { type Difference, differenceKinds } from '../../indexer/verify/differences.ts';
import type { RepairOptions } from '../../indexer/verify/repair.ts';
import { type VerifyReport, verifyGeneration } from '../../indexer/verify/verify.ts';
import { type KindName, kindNames } from '../../src/kinds/kind.ts';
import { counted } from '../../src/lib/text/counted.ts';
import { recordVerification } from '../../src/postgres/verifications.ts';
import { kindsArgument, positiveNumber } from '../arguments.ts';
import { type DocumentCommandContext, withDocumentCommand } from '../connections.ts';
import type { CommandContext } from '../context.ts';
import { defineCommand } from '../define-command.ts';
import { type ExitCode, exitCodes } from '../exit-codes.ts';
import { Progress } from '../progress/progress.ts';

export interface CompareFlags {
  readonly generation?: number;
  readonly deep?: boolean;
}

export function makeCommand(context: CommandContext): Command {
  const command = defineCommand('verify', {
    notes: `Every row is compared with its document by the hash that the document carries; with --deep by its whole
contents. Runs next to sync and writers: changes that are on their way into the index are waited for, not reported.
If no sync runs, documents with pending changes are counted as unjudged (exit code 4).
The result for a searched index is shown by status and to operators on the account page.

Exit codes: 0 equal, 2 something is missing, extra, stale, corrupt or unreadable, 4 equal except for pending changes.`,
    examples: ['verify', 'verify companies --deep', 'verify people --generation 3 --json'],
  });
  return compareOptions(command).action((kinds: readonly KindName[], flags: CompareFlags) =>
    compareEach(context, kinds, flags, 'verify', async (...given) => ({
      last: await verifyGeneration(...given),
      repaired: {},
    })),
  );
}

export function compareOptions(command: Command): Command {
  return command
    .addArgument(kindsArgument())
    .option('--generation <number>', 'this generation (of one kind) instead of the live one', positiveNumber)
    .option('--deep', 'compare whole documents, not only their hashes: finds contents that were changed without them');
}

/** The last comparison of a generation, and the counts of its repair. */
interface Compared {
  readonly last: VerifyReport;
  readonly repaired: object;
}

/**
 * Compares the generations that the flags select, one after the other, in the order of kinds, stores the results of
 * those that are searched, and prints all of them.
 */
export async function compareEach(
  context: CommandContext,
  kinds: readonly KindName[],
  { generation: number, deep = false }: CompareFlags,
  phase: 'verify' | 'repair',
  compare: (deps: DocumentCommandContext, generation: StoredGeneration, options: RepairOptions) => Promise<Compared>,
): Promise<void> {
  const { signal, terminal } = context;
  const compared = await withDocumentCommand(context, context.limits.verify.windowsAtOnce, async (engines) => {
    const { pool } = engines;
    if (phase === 'repair') await refuseForeignOwner(engines, kinds);
    const generations: StoredGeneration[] = [];
    for (const kind of kindNames.filter((name) => kinds.includes(name))) {
      signal.throwIfAborted();
      const live = number === undefined;
      generations.push(await (live ? liveGeneration(engines, kind) : numberedGeneration(pool, kind, number)));
    }
    const different = await compareShown(engines, false, signal);
    if (different > 0) terminal.warn(unnotedText(different));
    using progress = new Progress(context);
    const each: Compared[] = [];
    for (const generation of generations) {
      const total = await estimateRows(pool, generation.kind);
      using work = progress.start({ kind: generation.kind, phase, total });
      const one = await compare(engines, generation, {
        deep,
        signal,
        onProgress: ({ rows, suspects }) => work.update({ done: rows, suspects }),
        onRepaired: (repaired) => work.update({ repaired }),
      });
      await recordVerification(pool, storedForm(one.last));
      each.push(one);
    }
    // Other kinds, and copies, learn of it through the change log.
    if (phase === 'repair') await compareShown(engines, true, signal);
    return each;
  });
  terminal.printEach(compared.map(summaryOf));
  const reports = compared.map(({ last }) => last);
  for (const report of reports) for (const problem of problemsOf(report)) terminal.warn(problem);
  context.exitWith(exitCodeOf(reports));
}

/** Reports entities whose changes no trigger noted. */
function unnotedText(count: number): string {
  const found = counted(count, 'entity of your views differs', 'entities of your views differ');
  return `${found} from the stored copy, and no trigger has noted the change. Check the triggers: entity-search doctor`;
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
function summaryOf({ last: report, repaired }: Compared) {
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
    ...repaired,
    samples: Object.fromEntries(
      differenceKinds.flatMap((kind) => {
        const keys = keysOf(kind).slice(0, samples);
        return keys.length === 0 ? [] : [[kind, keys]];
      }),
    ),
  };
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
      `${unreadable} of them are rows that can't become documents. After repair or sync, see the reasons with: entity-search dead-letters ${kind}`,
    );
  }
  if (unjudged > 0) {
    problems.push(
      `${unjudged} documents could not be judged, because ${pending} entries of the change log are pending. Run entity-search sync, then verify again.`,
    );
  }
  return problems.map((problem) => `${indexName}: ${problem}`);
}

function exitCodeOf(reports: readonly VerifyReport[]): ExitCode {
  if (reports.some(({ differences }) => differences.length > 0)) return exitCodes.partial;
  return reports.every(({ equal }) => equal) ? exitCodes.ok : exitCodes.pending;
}
