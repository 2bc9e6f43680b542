import type pg from 'pg';
import { endWhenStopped } from '../../src/postgres/pool.ts';
import { codeOf } from '../errors.ts';
import type { ImportLimits } from '../limits.ts';
import { type Batch, BatchBuilder } from './copy-batch.ts';
import type { ImportFile } from './files.ts';
import type { KindImport, LineProblem } from './kinds/kind-import.ts';
import { parseLine } from './parse-line.ts';
import { readLines } from './read-lines.ts';
import * as sql from './statements.ts';
import { type BatchOutcome, stageBatch, writeStaged, writeWaiting } from './write-batch.ts';

/** Counts of one file's lines. Blank lines are not counted. */
export interface FileCounts {
  read: number;
  inserted: number;
  updated: number;
  unchanged: number;
  pruned: number;
  bad: number;
}

export function zeroCounts(): FileCounts {
  return { read: 0, inserted: 0, updated: 0, unchanged: 0, pruned: 0, bad: 0 };
}

export interface ImportObserver {
  onNote(text: string): void;
  onFileStart(file: ImportFile, phase: 'check' | 'import'): void;
  onProgress(counts: Readonly<FileCounts>, bytesRead: number): void;
  onBadLine(file: ImportFile, line: number, path: string, message: string): void;
  onFileEnd(file: ImportFile, phase: 'check' | 'import', counts: Readonly<FileCounts>): void;
}

export interface FileTask {
  readonly client: pg.Client;
  readonly file: ImportFile;
  readonly kindImport: KindImport;
  readonly limits: ImportLimits;
  readonly observer: ImportObserver;
  readonly signal: AbortSignal;
  /** Updated during the work. */
  readonly counts: FileCounts;
  /** The whole import is one transaction, which the caller begins and ends. */
  readonly oneTransaction: boolean;
  /** True if a first reading has already reported this file's bad lines. */
  readonly checked: boolean;
}

/** Reads the whole file and reports its bad lines, without writing. */
export async function checkFile(task: FileTask): Promise<void> {
  await withTables(task, 'check', () =>
    writeInBatches(task, async (batch) => {
      const bad = await stageBatch(task.client, task.kindImport, batch);
      await task.client.query(sql.truncateStaged(task.kindImport));
      return { inserted: 0, updated: 0, unchanged: 0, pruned: 0, badLines: bad };
    }),
  );
}

/** Writes the file's valid lines; with `prune`, also removes entities that are not in the file from the table. */
export async function importFile(task: FileTask, options: { readonly prune: boolean }): Promise<void> {
  const { client, kindImport, counts } = task;
  await withTables(task, 'import', async () => {
    await writeInBatches(task, async (batch) => {
      const repeated = await stageBatch(client, kindImport, batch);
      const outcome = await writeStaged(client, kindImport);
      return { ...outcome, badLines: task.checked ? [] : repeated, bad: repeated.length };
    });
    // Bad lines at the second reading mean that the file has changed in between.
    const prune = options.prune && counts.bad === 0;
    addOutcome(task, await inTransaction(task, () => writeWaiting(client, kindImport, { prune })));
    if (counts.inserted + counts.updated + counts.pruned > 0) await client.query(sql.analyze(kindImport));
  });
}

async function withTables(task: FileTask, phase: 'check' | 'import', work: () => Promise<void>): Promise<void> {
  task.observer.onFileStart(task.file, phase);
  try {
    await task.client.query(sql.createTables(task.kindImport));
    await work();
    await task.client.query(sql.dropTables(task.kindImport));
  } finally {
    task.observer.onFileEnd(task.file, phase, task.counts);
  }
}

type Outcome = BatchOutcome & { readonly bad?: number };

/** Parses the next batch while Postgres writes the one before; holds only these two. */
async function writeInBatches(task: FileTask, write: (batch: Batch) => Promise<Outcome>): Promise<void> {
  const { file, kindImport, limits, observer, signal, counts } = task;
  const builder = new BatchBuilder(kindImport, limits);
  let working: Promise<void> = Promise.resolve();
  const submit = async (): Promise<void> => {
    await working;
    const batch = builder.take();
    working = inTransaction(task, () => write(batch)).then((outcome) => addOutcome(task, outcome));
    // Awaited before the next batch and at the end; without this, a failure in between would end the process.
    working.catch(() => undefined);
  };
  try {
    for await (const chunk of readLines(file.path, limits.maxLineBytes, signal)) {
      for (const line of chunk.lines) {
        const parsed = parseLine(kindImport, line, limits.maxLineBytes);
        if (parsed === null) continue;
        counts.read += 1;
        if ('id' in parsed) builder.add(parsed, line.number, line.bytes.length);
        else reportBad(task, line.number, parsed);
        if (builder.isFull) await submit();
      }
      observer.onProgress(counts, chunk.bytesRead);
    }
    if (!builder.isEmpty) await submit();
    await working;
  } finally {
    await Promise.allSettled([working]);
  }
}

function reportBad(task: FileTask, line: number, problems: readonly LineProblem[]): void {
  task.counts.bad += 1;
  if (task.checked) return;
  for (const { path, message } of problems) task.observer.onBadLine(task.file, line, path, message);
}

function addOutcome(task: FileTask, outcome: Outcome): void {
  const { counts } = task;
  counts.inserted += outcome.inserted;
  counts.updated += outcome.updated;
  counts.unchanged += outcome.unchanged;
  counts.pruned += outcome.pruned;
  counts.bad += outcome.bad ?? outcome.badLines.length;
  for (const { line, path, message } of outcome.badLines) task.observer.onBadLine(task.file, line, path, message);
}

// A batch can lose against another writer (a slug taken meanwhile, a deadlock): the second attempt sees its changes.
const worthAnotherTry: ReadonlySet<string> = new Set(['23505', '40P01', '40001']);
const maxTries = 3;

async function inTransaction<Result>(task: FileTask, work: () => Promise<Result>): Promise<Result> {
  const { client, signal } = task;
  signal.throwIfAborted();
  if (task.oneTransaction) return work();
  for (let tries = 1; ; tries += 1) {
    await client.query(`begin; ${endWhenStopped}`);
    try {
      const result = await work();
      signal.throwIfAborted();
      await client.query('commit');
      return result;
    } catch (error) {
      await client.query('rollback');
      if (tries >= maxTries || signal.aborted || !worthAnotherTry.has(codeOf(error) ?? '')) throw error;
    }
  }
}
