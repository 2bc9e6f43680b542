import pg from 'pg';
import { type KindName, kindNames } from '../../src/kinds/kind.ts';
import { clientConfig, type PostgresSettings } from '../../src/postgres/pool.ts';
import { readValue } from '../../src/postgres/statements.ts';
import { listShownTables } from '../../src/schema/sources/shown-tables.ts';
import { RefusedError } from '../errors.ts';
import type { ImportLimits } from '../limits.ts';
import { findFiles, type ImportFile } from './files.ts';
import { type FileCounts, type ImportObserver, importFile, zeroCounts } from './import-file.ts';
import { kindImports } from './kinds/registry.ts';
import * as sql from './statements.ts';

export interface ImportOptions {
  readonly directory: string;
  readonly strict: boolean;
  /** Removes entities that a file does not have, except of kinds whose file has a bad line or is empty. */
  readonly prune: boolean;
  readonly limits: ImportLimits;
}

export interface ImportReport {
  readonly kinds: readonly ({ readonly kind: KindName } & Readonly<FileCounts>)[];
  /** The reason why a requested step was not begun. */
  readonly refused: string | undefined;
  /** True if the signal ended it: earlier batches are kept, without `strict`. */
  readonly interrupted: boolean;
}

/**
 * Imports a folder's files over one connection, which it opens and closes. Each batch is a transaction; with `strict`
 * the whole import is one. Rejects with an error of Postgres or of the file system; earlier batches are kept.
 */
export async function importFolder(
  settings: PostgresSettings,
  options: ImportOptions,
  observer: ImportObserver,
  signal: AbortSignal,
): Promise<ImportReport> {
  if (signal.aborted) return { kinds: [], refused: undefined, interrupted: true };
  const files = await findFiles(options.directory);
  for (const kind of kindNames.filter((name) => !files.some((file) => file.kind === name))) {
    observer.onNote(`${kind}.ndjson is missing; ${kind} stay unchanged.`);
  }
  const client = new pg.Client(clientConfig(settings));
  // A broken connection fails the running statement, which reports it.
  client.on('error', () => undefined);
  await client.connect();
  try {
    if (!(await readValue<boolean>(client, sql.lockImport))) {
      throw new RefusedError('Another import is running on this database. Wait for it to end.');
    }
    await refuseShownTables(client);
    await client.query(sql.raiseTempBuffers);
    return await importFiles({ client, files, options, observer, signal });
  } finally {
    await client.end();
  }
}

/** Refuses to import tables that views replace: rows must be written to the tables that the views read. */
async function refuseShownTables(client: pg.Client): Promise<void> {
  const shown = await listShownTables(client);
  if (shown.length === 0) return;
  throw new RefusedError(
    `Views of the schema search_source replace ${new Intl.ListFormat('en-GB').format(shown)}: write to the tables that they read, instead of importing.`,
  );
}

interface Run {
  readonly client: pg.Client;
  readonly files: readonly ImportFile[];
  readonly options: ImportOptions;
  readonly observer: ImportObserver;
  readonly signal: AbortSignal;
}

type KindCounts = { readonly kind: KindName } & FileCounts;

async function importFiles(run: Run): Promise<ImportReport> {
  const { client, options, observer, signal } = run;
  const { strict, prune, limits } = options;
  const kinds: KindCounts[] = [];
  try {
    if (strict) await client.query('begin');
    for (const file of run.files) {
      const counts = { kind: file.kind, ...zeroCounts() };
      // Added first, so that the report of an interrupted import includes it.
      kinds.push(counts);
      const kindImport = kindImports[file.kind];
      await importFile({ client, file, kindImport, limits, observer, signal, counts, oneTransaction: strict, prune });
    }
    const bad = badLines(kinds);
    if (strict) await client.query(bad === 0 ? 'commit' : 'rollback');
    if (!strict || bad === 0) return { kinds, refused: prune ? unpruned(kinds) : undefined, interrupted: false };
    const refused = `${lines(bad)} bad: with --strict nothing is imported. Correct them, then try again.`;
    return { kinds: kinds.map(withoutWrites), refused, interrupted: false };
  } catch (error) {
    if (!signal.aborted) throw error;
    return { kinds: strict ? [] : kinds, refused: undefined, interrupted: true };
  }
}

function withoutWrites({ kind, read, bad }: KindCounts): KindCounts {
  return { kind, ...zeroCounts(), read, bad };
}

/** Names the kinds that were not pruned, with the reason; undefined if all were. */
function unpruned(kinds: readonly KindCounts[]): string | undefined {
  const reasons = kinds.flatMap(({ kind, read, bad }) => {
    if (bad > 0) return `${kind} are not pruned, because ${lines(bad)} bad. Correct them first.`;
    return read > 0 ? [] : `${kind} are not pruned, because the file is empty. Remove or complete it.`;
  });
  return reasons.length === 0 ? undefined : reasons.join('\n');
}

function badLines(counts: readonly KindCounts[]): number {
  return counts.reduce((sum, { bad }) => sum + bad, 0);
}

function lines(count: number): string {
  return count === 1 ? '1 line is' : `${count} lines are`;
}
