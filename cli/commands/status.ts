import type { Command } from 'commander';
import { describeChangeLogSize, readChangeLogSize } from '../../indexer/change-log/log-size.ts';
import { describeHolder, type LockHolder } from '../../indexer/generations/locks.ts';
import { type KindStatus, readStatus } from '../../indexer/generations/status.ts';
import { changeLogLimits } from '../../src/config/indexer.ts';
import type { KindName } from '../../src/kinds/kind.ts';
import { counted } from '../../src/lib/text/counted.ts';
import type { StoredVerification } from '../../src/postgres/verifications.ts';
import { kindsArgument } from '../arguments.ts';
import { type DocumentCommandContext, withDocumentCommand } from '../connections.ts';
import type { CommandContext } from '../context.ts';
import { defineCommand } from '../define-command.ts';

export function makeCommand(context: CommandContext): Command {
  return defineCommand('status', {
    notes: `"pending" are entries of the change log that an index does not have yet (counting stops at 100,000), "lag" is the
age of the oldest, "reader" the sync process that follows the log for it, "builder" the process that builds or swaps it.`,
    examples: ['status', 'status companies --json'],
  })
    .addArgument(kindsArgument())
    .action((kinds: readonly KindName[]) =>
      withDocumentCommand(context, 2, (engines) => showStatus(context, engines, kinds)),
    );
}

async function showStatus(
  context: CommandContext,
  engines: DocumentCommandContext,
  kinds: readonly KindName[],
): Promise<void> {
  const { terminal } = context;
  const bounds = changeLogLimits(context.env);
  const statuses = await readStatus(engines, kinds);
  if (terminal.wantsJson) return terminal.printJson(statuses);
  printTable(context, statuses);
  terminal.say(describeChangeLogSize(await readChangeLogSize(engines.pool, bounds)));
}

function printTable({ terminal }: CommandContext, statuses: readonly KindStatus[]): void {
  const rows = statuses.flatMap(({ generations, rows: tableRows }) =>
    generations.map((one) => ({
      index: one.index,
      state: one.searched ? `${one.state} *` : one.state,
      rows: tableRows,
      documents: one.documents,
      MB: one.bytes === null ? null : (one.bytes / 1_000_000).toFixed(1),
      pending: one.pending,
      lag: one.lagSeconds === null ? null : `${one.lagSeconds.toFixed(1)} s`,
      dead_letters: one.deadLetters,
      reader: nameOf(one.reader),
    })),
  );
  terminal.printRows(rows, 'There are no indices. Run: entity-search reindex');
  for (const status of statuses) printProblems(terminal, status);
}

function printProblems(terminal: CommandContext['terminal'], status: KindStatus): void {
  const { kind, builder, lastFailure, problem, verified, generations } = status;
  if (problem !== null && generations.length > 0) terminal.warn(`${kind}: ${problem}`);
  if (builder !== null) terminal.say(`${kind}: in use by ${describeHolder(builder)}`);
  if (verified !== null) terminal.say(describeVerification(verified));
  if (lastFailure !== null) terminal.warn(`${kind}: the last attempt failed: ${lastFailure}`);
  for (const { index, latestLetter, searched } of generations) {
    if (searched && latestLetter !== null) terminal.warn(`${index}: no document of ${latestLetter}`);
  }
  for (const { index, halted } of generations) if (halted !== null) terminal.warn(`${index}: ${halted}`);
  for (const { index, state, lastError } of generations) {
    if (lastError !== null && (state === 'live' || state === 'retired')) terminal.warn(`${index}: ${lastError}`);
  }
}

function describeVerification({ kind, generation, at, outcome, rows, differences }: StoredVerification): string {
  const found = outcome === 'different' ? counted(differences, 'difference') : outcome;
  return `${kind}: verified ${at} (${generation}): ${found}, ${counted(rows, 'row')}`;
}

function nameOf(holder: LockHolder | null): string | null {
  return holder === null ? null : `${holder.applicationName} (pid ${holder.pid})`;
}
