import { type Command, Option } from 'commander';
import { reindexConfig } from '../../indexer/config.ts';
import type { Limits } from '../../indexer/limits.ts';
import { type ReindexReport, reindexKinds } from '../../indexer/reindex/reindex.ts';
import { createWriteContext } from '../../indexer/write/write-context.ts';
import { type KindName, kindNames } from '../../src/kinds/kind.ts';
import { kindsArgument, wholeNumber } from '../arguments.ts';
import { connectEngines, connectionsOf, processName } from '../connections.ts';
import type { CommandContext } from '../context.ts';
import { defineCommand } from '../define-command.ts';
import { CommandError } from '../errors.ts';
import { type ExitCode, exitCodes } from '../exit-codes.ts';
import { Progress } from '../progress/progress.ts';
import { showReindex } from '../progress/reindex.ts';

interface ReindexFlags {
  readonly allowDeadLetters: number;
  readonly resume?: boolean;
  readonly abort?: boolean;
  readonly takeOver?: boolean;
}

export function makeCommand(context: CommandContext): Command {
  return defineCommand('reindex', {
    notes: `Each kind is loaded into a new index, brought up to what was written meanwhile, compared with the tables, and
swapped in with one step: a search uses the old index or the new one, never both and never half of one. If it fails,
searches stay with the old index, and the new one is removed. If it is interrupted (Ctrl-C, a kill, an engine that is
not available), the new one stays until --resume continues with it; --abort or the next reindex removes it. The
previous index is kept (GENERATIONS_KEPT); older ones are removed when no cursor can still point into them.

A load stops when the mapping or SQL is probably wrong: after 1,000 rejected documents, or 50 in a
row. --allow-dead-letters raises these limits, too.

Settings: REINDEX_REQUESTS, ELASTICSEARCH_SHARDS, ELASTICSEARCH_REPLICAS, GENERATIONS_KEPT (docs/reference/settings.md).`,
    examples: [
      'reindex',
      'reindex companies people',
      'reindex events --allow-dead-letters 5',
      'reindex companies --resume',
      'reindex --json 2>progress.ndjson',
    ],
  })
    .addArgument(kindsArgument())
    .option(
      '--allow-dead-letters <number>',
      'go live although Elasticsearch rejected up to this many documents of a kind',
      wholeNumber(0),
      0,
    )
    .addOption(new Option('--resume', 'resume what was interrupted or killed').conflicts('abort'))
    .option('--abort', 'remove what was interrupted or killed')
    .option('--take-over', 'replace a live index of another database or a newer release')
    .action(async (kinds: readonly KindName[], flags: ReindexFlags) => {
      const inOrder = kindNames.filter((kind) => kinds.includes(kind));
      printReports(context, await runReindex(context, inOrder, flags));
    });
}

/** A caller that allows this many rejected documents does not want the load to stop earlier. */
function allowing(limits: Limits, allowed: number): Limits {
  if (allowed === 0) return limits;
  const { total, inARow } = limits.deadLetters;
  const deadLetters = { total: Math.max(total, allowed), inARow: Math.max(inARow, allowed) };
  return { ...limits, deadLetters };
}

async function runReindex(
  context: CommandContext,
  kinds: readonly KindName[],
  flags: ReindexFlags,
): Promise<readonly ReindexReport[]> {
  const limits = allowing(context.limits, flags.allowDeadLetters);
  const config = reindexConfig(context.env, limits);
  await using engines = connectEngines(context, {
    connections: connectionsOf.reindex(config.verify, config.kindsAtOnce),
    // In addition to the bulk requests, each kind sends one request at a time.
    requests: config.pressure.maxRequests + config.kindsAtOnce,
  });
  const { pool, client, indexPrefix } = engines;
  const deps = createWriteContext(pool, client, config, Math.min(config.kindsAtOnce, kinds.length));
  using progress = new Progress(context);
  const applicationName = processName('reindex');
  return await reindexKinds(
    {
      ...deps,
      indexPrefix,
      applicationName,
      rules: { allowedDeadLetters: flags.allowDeadLetters },
      takeOver: flags.takeOver === true,
      mode: flags.resume ? 'resume' : flags.abort ? 'abort' : 'anew',
      observer: showReindex(progress),
    },
    kinds,
    context.signal,
  );
}

function printReports(context: CommandContext, reports: readonly ReindexReport[]): void {
  context.terminal.printEach(reports.map(summary));
  const problems = reports.flatMap(({ kind, reindex }) => (reindex.error ? [`${kind}: ${reindex.error}`] : []));
  if (problems.length > 0) throw new CommandError(problems.join('\n'), exitCodeOf(reports));
}

function summary({ kind, generation, reindex, seconds }: ReindexReport) {
  const { rows, deadLetters, bytes } = reindex.counts;
  return {
    kind,
    generation: generation ?? null,
    // A refused kind without a generation was not begun, so it did not fail.
    state: reindex.refused && generation === undefined ? 'refused' : reindex.state,
    rows,
    documents: reindex.documents,
    dead_letters: deadLetters,
    bytes,
    seconds: Math.round(seconds * 10) / 10,
    rows_per_second: seconds > 0 ? Math.round(rows / seconds) : 0,
  };
}

function exitCodeOf(reports: readonly ReindexReport[]): ExitCode {
  const broken = reports.some(({ reindex }) => reindex.error !== undefined && !reindex.refused);
  return broken ? exitCodes.failed : exitCodes.refused;
}
