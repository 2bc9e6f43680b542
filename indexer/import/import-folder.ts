import pg from 'pg';
import type { KindName } from '../../src/kinds/kind.ts';
import { clientConfig, type PostgresSettings } from '../../src/postgres/pool.ts';
import { listShownTables } from '../../src/schema/sources/shown-tables.ts';
import { RefusedError } from '../errors.ts';
import type { ImportLimits } from '../limits.ts';
import { findFiles, type ImportFile } from './files.ts';
import {
  checkFile,
  type FileCounts,
  type FileTask,
  type ImportObserver,
  importFile,
  zeroCounts,
} from './import-file.ts';
import { kindImports } from './kinds/registry.ts';
import * as sql from './statements.ts';

export interface ImportOptions {
  readonly directory: string;
  readonly kinds: readonly KindName[];
  readonly strict: boolean;
  /** Removes entities that a file does not have, unless any file has a bad line or is empty. */
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
  const files = await findFiles(options.directory, options.kinds);
  for (const kind of options.kinds.filter((name) => !files.some((file) => file.kind === name))) {
    observer.onNote(`${kind}.ndjson is not there; ${kind} stay as they are.`);
  }
  const client = new pg.Client(clientConfig(settings));
  // A broken connection fails the running statement, which reports it.
  client.on('error', () => undefined);
  await client.connect();
  try {
    const { rows } = await client.query<{ got: boolean }>(sql.lockImport);
    if (rows[0]?.got !== true) {
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
  const { strict, prune } = run.options;
  const written: KindCounts[] = [];
  try {
    const checked = strict || prune ? await checkFiles(run) : undefined;
    const refused = checked === undefined ? undefined : refusalOf(checked, run.options);
    if (strict && refused !== undefined) return { kinds: checked ?? [], refused, interrupted: false };
    if (strict) return await writeStrictly(run, written);
    await writeFiles(run, written, prune && refused === undefined);
    return { kinds: written, refused, interrupted: false };
  } catch (error) {
    if (!run.signal.aborted) throw error;
    return { kinds: strict ? [] : written, refused: undefined, interrupted: true };
  }
}

/** Checks all files before the first write, if a bad line or an empty file forbids a step. */
async function checkFiles(run: Run): Promise<readonly KindCounts[]> {
  const checked: KindCounts[] = [];
  for (const file of run.files) await checkFile(taskOf(run, file, checked, { checked: false }));
  return checked;
}

function refusalOf(checked: readonly KindCounts[], { strict, prune }: ImportOptions): string | undefined {
  const bad = badLines(checked);
  if (strict && bad > 0) return `${lines(bad)} bad: with --strict nothing is imported. Correct them, then try again.`;
  if (!prune) return undefined;
  if (bad > 0) return `${lines(bad)} bad: nothing is pruned, because what they hold would be. Correct them first.`;
  const empty = checked.filter((counts) => counts.read === 0).map(({ kind }) => `${kind}.ndjson`);
  if (empty.length === 0) return undefined;
  return `${empty.join(' and ')} has no line, and pruning would remove all. Nothing is pruned. Remove the file, or give it its lines.`;
}

async function writeStrictly(run: Run, written: KindCounts[]): Promise<ImportReport> {
  await run.client.query('begin');
  await writeFiles(run, written, run.options.prune);
  const bad = badLines(written);
  await run.client.query(bad === 0 ? 'commit' : 'rollback');
  if (bad === 0) return { kinds: written, refused: undefined, interrupted: false };
  const kinds = written.map((counts) => ({ ...counts, inserted: 0, updated: 0, unchanged: 0, pruned: 0 }));
  return { kinds, refused: `${lines(bad)} bad: with --strict nothing is imported.`, interrupted: false };
}

async function writeFiles(run: Run, written: KindCounts[], prune: boolean): Promise<void> {
  const checked = run.options.strict || run.options.prune;
  for (const file of run.files) await importFile(taskOf(run, file, written, { checked }), { prune });
}

/** Adds a file's counts to the report when it is begun, so that an interrupted import includes them. */
function taskOf(
  { options, client, observer, signal }: Run,
  file: ImportFile,
  all: KindCounts[],
  { checked }: { readonly checked: boolean },
): FileTask {
  const counts = { kind: file.kind, ...zeroCounts() };
  all.push(counts);
  const { limits, strict } = options;
  const kindImport = kindImports[file.kind];
  return { client, file, kindImport, limits, observer, signal, counts, oneTransaction: strict, checked };
}

function badLines(counts: readonly KindCounts[]): number {
  return counts.reduce((sum, { bad }) => sum + bad, 0);
}

function lines(count: number): string {
  return count === 1 ? '1 line is' : `${count} lines are`;
}
