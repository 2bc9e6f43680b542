import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { KindName } from '../../src/kinds/kind.ts';
import { CommandError, codeOf } from '../errors.ts';
import { adviceOnForm } from './parse-line.ts';
import { type RawLine, readLines } from './read-lines.ts';
import { importOrder } from './registry.ts';

/** A file to import. */
export interface ImportFile {
  readonly kind: KindName;
  /** As it is named in messages. */
  readonly name: string;
  readonly path: string;
  readonly bytes: number;
}

/**
 * The files of a folder, in the order in which they are imported; kinds without a file are left out. Throws
 * `CommandError` where the folder or all files are missing, or a file has another form than one object a line.
 */
export async function findFiles(directory: string, kinds: readonly KindName[]): Promise<readonly ImportFile[]> {
  await requireFolder(directory);
  const files: ImportFile[] = [];
  for (const kind of importOrder.filter((name) => kinds.includes(name))) {
    const name = `${kind}.ndjson`;
    const path = join(directory, name);
    const found = await statOrMissing(path);
    if (found === undefined) continue;
    if (!found.isFile()) throw new CommandError(`${path} is not a file.`);
    await refuseOtherForms(path, name);
    files.push({ kind, name, path, bytes: found.size });
  }
  if (files.length > 0) return files;
  const wanted = kinds.map((kind) => `${kind}.ndjson`).join(', ');
  throw new CommandError(`${directory} has none of ${wanted}. Name the folder that holds them.`);
}

async function requireFolder(directory: string): Promise<void> {
  const found = await statOrMissing(directory);
  if (found === undefined) throw new CommandError(`The folder ${directory} does not exist.`);
  if (!found.isDirectory()) throw new CommandError(`${directory} is a file; name the folder that holds the files.`);
}

async function statOrMissing(path: string) {
  try {
    return await stat(path);
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw error;
  }
}

/** Enough of a line to see its form. */
const formBytes = 1_024;

async function refuseOtherForms(path: string, name: string): Promise<void> {
  const beginning: RawLine[] = [];
  for await (const piece of readLines(path, formBytes)) {
    beginning.push(...piece.lines.filter((line) => line.bytes.toString().trim() !== '').slice(0, 2));
    const [first, second] = beginning;
    if (first === undefined || second === undefined) continue;
    const advice = adviceOnForm(first, second);
    if (advice !== undefined) throw new CommandError(`${name} ${advice}`);
    return;
  }
}
