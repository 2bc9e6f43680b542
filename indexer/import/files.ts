import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { type KindName, kindNames } from '../../src/kinds/kind.ts';
import { importOrder } from '../../src/kinds/relations.ts';
import { codeOf, IndexerError } from '../errors.ts';

export interface ImportFile {
  readonly kind: KindName;
  /** The name used in messages. */
  readonly name: string;
  readonly path: string;
  /** The size on disk, compressed or not. */
  readonly bytes: number;
}

/**
 * Returns the files of a folder, in the order of import, without kinds that have no file. Throws `IndexerError` if
 * the folder or all files are missing.
 */
export async function findFiles(directory: string): Promise<readonly ImportFile[]> {
  await requireFolder(directory);
  const files: ImportFile[] = [];
  for (const kind of importOrder) {
    const found = await findFile(directory, kind);
    if (found !== undefined) files.push(found);
  }
  if (files.length > 0) return files;
  const wanted = kindNames.map((kind) => `${kind}.ndjson`).join(', ');
  throw new IndexerError(`${directory} has none of ${wanted}. Name the folder that holds them.`);
}

/** The endings of a kind's file, plain or compressed with gzip. */
const endings = ['.ndjson', '.jsonl', '.ndjson.gz', '.jsonl.gz'] as const;

async function findFile(directory: string, kind: KindName): Promise<ImportFile | undefined> {
  const there: ImportFile[] = [];
  for (const ending of endings) {
    const name = `${kind}${ending}`;
    const path = join(directory, name);
    const found = await statOrMissing(path);
    if (found === undefined) continue;
    if (!found.isFile()) throw new IndexerError(`${path} is not a file.`);
    there.push({ kind, name, path, bytes: found.size });
  }
  const [first, second] = there;
  if (first !== undefined && second !== undefined) {
    throw new IndexerError(`${directory} has ${first.name} and ${second.name}. Leave one of them.`);
  }
  return first;
}

async function requireFolder(directory: string): Promise<void> {
  const found = await statOrMissing(directory);
  if (found === undefined) throw new IndexerError(`The folder ${directory} does not exist.`);
  if (!found.isDirectory()) throw new IndexerError(`${directory} is a file; name the folder that holds the files.`);
}

async function statOrMissing(path: string) {
  try {
    return await stat(path);
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw error;
  }
}
