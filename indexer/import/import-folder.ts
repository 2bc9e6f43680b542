import pg from 'pg';
import type { KindName } from '../../src/kinds/kind.ts';
import { clientConfig, type PostgresSettings } from '../../src/postgres/pool.ts';
import { CommandError } from '../errors.ts';
import { exitCodes } from '../exit-codes.ts';
import type { ImportLimits } from '../limits.ts';
import { findFiles, type ImportFile } from './files.ts';
import { checkFile, type FileCounts, type FileTask, type ImportObserver, importFile, noCounts } from './import-file.ts';
import { kindImports } from './kinds/registry.ts';
import { standardInput } from './read-lines.ts';
import * as sql from './statements.ts';

export interface ImportOptions {
  readonly directory: string;
  readonly kinds: readonly KindName[];
  /** Nothing at all is written if any line is bad. */
  readonly strict: boolean;
  /** Entities that a file does not have are removed, unless any line of any file is bad. */
  readonly prune: boolean;
  /** Lets `prune` empty a kind's table where its file is empty. */
  readonly pruneAll: boolean;
  readonly limits: ImportLimits;
}

export interface ImportReport {
  readonly kinds: readonly ({ readonly kind: KindName } & Readonly<FileCounts>)[];
  /** Why something that was asked for was not begun. */
  readonly refused: string | undefined;
  /** The signal ended it: batches before are kept, without `strict`. */
  readonly interrupted: boolean;
}

/**
 * Imports a folder's files over one connection, which it opens and closes. Each batch is a transaction; with `strict`
 * the whole import is one. Throws what Postgres or the file system says; batches before it are kept.
 */
export async function importFolder(
  settings: PostgresSettings,
  options: ImportOptions,
  observer: ImportObserver,
  signal: AbortSignal,
): Promise<ImportReport> {
  if (signal.aborted) return { kinds: [], refused: undefined, interrupted: true };
  if (options.directory === standardInput && (options.strict || options.prune)) {
    throw new CommandError('--strict and --prune read the lines twice: put them into a file.', exitCodes.usage);
  }
  const files = await findFiles(options.directory, options.kinds);
  for (const kind of options.kinds.filter((name) => !files.some((file) => file.kind === name))) {
    observer.note(`${kind}.ndjson is not there; ${kind} stay as they are.`);
  }
  const client = new pg.Client(clientConfig(settings));
  // A connection that breaks fails the statement that is under way, and that one reports it.
  client.on('error', () => undefined);
  await client.connect();
  try {
    const { rows } = await client.query<{ got: boolean }>(sql.lockImport);
    if (rows[0]?.got !== true) {
      throw new CommandError('Another import is running on this database. Wait for it to end.', exitCodes.refused);
    }
    await client.query(sql.roomForTables);
    return await new FolderImport(client, files, options, observer, signal).run();
  } finally {
    await client.end();
  }
}

class FolderImport {
  readonly #client: pg.Client;
  readonly #files: readonly ImportFile[];
  readonly #options: ImportOptions;
  readonly #observer: ImportObserver;
  readonly #signal: AbortSignal;
  readonly #started: ({ readonly kind: KindName } & FileCounts)[] = [];

  constructor(
    client: pg.Client,
    files: readonly ImportFile[],
    options: ImportOptions,
    observer: ImportObserver,
    signal: AbortSignal,
  ) {
    this.#client = client;
    this.#files = files;
    this.#options = options;
    this.#observer = observer;
    this.#signal = signal;
  }

  async run(): Promise<ImportReport> {
    const { strict, prune } = this.#options;
    try {
      const checked = strict || prune ? await this.#check() : undefined;
      const refused = checked === undefined ? undefined : this.#refusal(checked);
      if (strict && refused !== undefined) return { kinds: checked ?? [], refused, interrupted: false };
      return strict ? await this.#importStrictly() : await this.#importAll(prune && refused === undefined, refused);
    } catch (error) {
      if (!this.#signal.aborted) throw error;
      return { kinds: strict ? [] : this.#started, refused: undefined, interrupted: true };
    }
  }

  /** What is to be known before anything is written, when bad lines or an empty file forbid something. */
  async #check(): Promise<ImportReport['kinds']> {
    const checked = [];
    for (const file of this.#files) {
      const counts = { kind: file.kind, ...noCounts() };
      await checkFile(this.#task(file, counts, { checked: false }));
      checked.push(counts);
    }
    return checked;
  }

  #refusal(checked: ImportReport['kinds']): string | undefined {
    const { strict, prune, pruneAll } = this.#options;
    const bad = checked.reduce((sum, counts) => sum + counts.bad, 0);
    if (strict && bad > 0) return `${lines(bad)} bad: with --strict nothing is imported. Correct them, then try again.`;
    if (!prune) return undefined;
    if (bad > 0) return `${lines(bad)} bad: nothing is pruned, because what they hold would be. Correct them first.`;
    const empty = checked.filter((counts) => counts.read === 0).map(({ kind }) => `${kind}.ndjson`);
    if (empty.length === 0 || pruneAll) return undefined;
    return `${empty.join(' and ')} has no line, and pruning would remove all. Nothing is pruned; add --prune-all to mean it.`;
  }

  async #importStrictly(): Promise<ImportReport> {
    await this.#client.query('begin');
    const report = await this.#importAll(this.#options.prune, undefined);
    const bad = report.kinds.reduce((sum, counts) => sum + counts.bad, 0);
    if (bad === 0) {
      await this.#client.query('commit');
      return report;
    }
    await this.#client.query('rollback');
    const kinds = report.kinds.map((counts) => ({ ...counts, inserted: 0, updated: 0, unchanged: 0, pruned: 0 }));
    return { ...report, kinds, refused: `${lines(bad)} bad: with --strict nothing is imported.` };
  }

  async #importAll(prune: boolean, refused: string | undefined): Promise<ImportReport> {
    for (const file of this.#files) {
      const counts = { kind: file.kind, ...noCounts() };
      this.#started.push(counts);
      await importFile(this.#task(file, counts, { checked: this.#options.strict || this.#options.prune }), { prune });
    }
    return { kinds: this.#started, refused, interrupted: false };
  }

  #task(file: ImportFile, counts: FileCounts, { checked }: { readonly checked: boolean }): FileTask {
    return {
      client: this.#client,
      file,
      kindImport: kindImports[file.kind],
      limits: this.#options.limits,
      observer: this.#observer,
      signal: this.#signal,
      counts,
      oneTransaction: this.#options.strict,
      checked,
    };
  }
}

function lines(count: number): string {
  return count === 1 ? '1 line is' : `${count} lines are`;
}
