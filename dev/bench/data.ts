import { createHash } from 'node:crypto';
import { createReadStream, createWriteStream, existsSync, mkdirSync, rmSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { companyRow } from '../sample/companies.ts';
import { createWorld } from '../sample/world.ts';

/** A source of companies. A smaller number gives the beginning of a larger one. */
export interface Source {
  /** Identifies the source, and the content of its file. */
  readonly key: string;
  readonly name: string;
  /** The lines from one position up to another, counted from 0, without line ends; fewer at the end of the source. */
  lines(from: number, to: number): AsyncIterable<string> | Iterable<string>;
}

export class NoDataError extends Error {
  override readonly name = 'NoDataError';
}

const seed = 1;

/** The file, the folder's companies.ndjson, or made-up companies. Throws `NoDataError`. */
export function sourceOf(path: string | undefined): Source {
  if (path === undefined) {
    return { key: `sample ${seed}`, name: 'made-up companies', lines: (from, to) => sampleLines(from, to) };
  }
  const file = existsSync(path) && statSync(path).isDirectory() ? join(path, 'companies.ndjson') : path;
  if (!existsSync(file))
    throw new NoDataError(`${file} does not exist: --data is a file of companies, or a folder with companies.ndjson.`);
  const { size, mtimeMs } = statSync(file);
  return { key: `${resolve(file)} ${size} ${mtimeMs}`, name: file, lines: (from, to) => fileLines(file, from, to) };
}

function* sampleLines(from: number, to: number): Generator<string, void, undefined> {
  const world = createWorld(seed);
  for (let index = from; index < to; index += 1) yield JSON.stringify(companyRow(world, index));
}

async function* fileLines(file: string, from: number, to: number): AsyncGenerator<string, void, undefined> {
  const input = createReadStream(file);
  let at = 0;
  try {
    for await (const line of createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY })) {
      if (at >= to) return;
      if (at >= from && line !== '') yield line;
      at += 1;
    }
  } finally {
    input.destroy();
  }
}

/** A folder for `entity-search import`, with the companies of a range; removed at the end of the block. */
export async function folderOf(
  source: Source,
  range: { readonly from: number; readonly to: number },
  directory: string,
  signal: AbortSignal,
): Promise<{ readonly path: string } & Disposable> {
  mkdirSync(directory, { recursive: true });
  const remove = (): void => rmSync(directory, { recursive: true, force: true });
  async function* chunks(): AsyncGenerator<string, void, undefined> {
    let chunk = '';
    for await (const line of source.lines(range.from, range.to)) {
      chunk += `${line}\n`;
      if (chunk.length < chunkCharacters) continue;
      yield chunk;
      chunk = '';
    }
    yield chunk;
  }
  try {
    await pipeline(Readable.from(chunks()), createWriteStream(join(directory, 'companies.ndjson')), { signal });
  } catch (error) {
    remove();
    throw error;
  }
  return { path: directory, [Symbol.dispose]: remove };
}

const chunkCharacters = 262_144;

export function databaseName(source: Source, schema: string, rows: number): string {
  const key = createHash('sha256').update(source.key).update(schema).digest('hex').slice(0, 10);
  return `bench_${key}_${rows}`;
}
