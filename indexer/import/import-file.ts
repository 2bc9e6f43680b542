import type pg from 'pg';
import { endWhenStopped } from '../../src/postgres/pool.ts';
import { codeOf } from '../errors.ts';
import type { ImportLimits } from '../limits.ts';
import { type Batch, BatchBuilder } from './batch.ts';
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
  onFileStart(file: ImportFile): void;
  onProgress(counts: Readonly<FileCounts>, bytesRead: number): void;
  onBadLine(file: ImportFile, line: number, path: string, message: string): void;
  onFileEnd(counts: Readonly<FileCounts>): void;
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
  /** Removes entities that the file does not have, unless it has a bad line or is empty. */
  readonly prune: boolean;
}

/** Writes the file's valid lines. */
export async function importFile(task: FileTask): Promise<void> {
  const { client, file, kindImport, counts, observer } = task;
  observer.onFileStart(file);
  try {
    await client.query(sql.createTables(kindImport));
    await writeInBatches(task);
    const prune = task.prune && counts.bad === 0 && counts.read > 0;
    addOutcome(task, await inTransaction(task, () => writeWaiting(client, kindImport, { prune })));
    if (counts.inserted + counts.updated + counts.pruned > 0) await client.query(sql.analyze(kindImport));
    await client.query(sql.dropTables(kindImport));
  } finally {
    observer.onFileEnd(counts);
  }
}

/** Parses the next batch while Postgres writes the one before; holds only these two. */
async function writeInBatches(task: FileTask): Promise<void> {
  const { file, kindImport, limits, observer, signal, counts } = task;
  const builder = new BatchBuilder(kindImport, limits);
  let working: Promise<void> = Promise.resolve();
  const submit = async (): Promise<void> => {
    await working;
    const batch = builder.take();
    working = inTransaction(task, () => writeBatch(task, batch)).then((outcome) => addOutcome(task, outcome));
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

async function writeBatch({ client, kindImport }: FileTask, batch: Batch): Promise<BatchOutcome> {
  const badLines = await stageBatch(client, kindImport, batch);
  return { ...(await writeStaged(client, kindImport)), badLines };
}

function reportBad(task: FileTask, line: number, problems: readonly LineProblem[]): void {
  task.counts.bad += 1;
  for (const { path, message } of problems) task.observer.onBadLine(task.file, line, path, message);
}

function addOutcome(task: FileTask, outcome: BatchOutcome): void {
  const { counts } = task;
  counts.inserted += outcome.inserted;
  counts.updated += outcome.updated;
  counts.unchanged += outcome.unchanged;
  counts.pruned += outcome.pruned;
  counts.bad += outcome.badLines.length;
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
