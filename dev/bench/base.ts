import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { z } from 'zod';
import { exitCodes } from '../../cli/exit-codes.ts';
import { folderOf } from './data.ts';
import { type Database, type DatabaseDeps, emptyDatabase } from './databases.ts';
import { type ProgramContext, runProgram } from './programs.ts';

export interface Base extends AsyncDisposable {
  readonly program: Omit<ProgramContext, 'logFile'>;
  readonly cli: string;
  readonly database: Pick<Database, 'url' | 'rows'>;
  readonly key: string;
}

export const basePrefix = 'bench-base-';

export class NoBaseError extends Error {
  override readonly name = 'NoBaseError';
}

const packageSchema = z.object({ bin: z.object({ 'entity-search': z.string() }) });
const created = z.object({ key: z.string() });

export interface BaseOptions {
  readonly deps: DatabaseDeps;
  readonly rows: number;
  readonly elasticsearch: string;
}

/**
 * Lets another checkout create its own tables, documents and index for the source's first companies, because commits
 * also differ in what they index. The database is removed at the end.
 */
export async function openBase(folder: string, { deps, rows, elasticsearch }: BaseOptions): Promise<Base> {
  const cli = await commandOf(folder);
  const database = await emptyDatabase(deps.server, 'bench_base');
  const env = {
    DATABASE_URL: database.url,
    ELASTICSEARCH_URL: elasticsearch,
    INDEX_PREFIX: basePrefix,
    GENERATIONS_KEPT: '0',
  };
  const context = { ...deps, folder, env };
  const run = (args: readonly string[], allowed?: readonly number[]) => runProgram([cli, ...args], context, allowed);
  try {
    deps.printLine(`Loading and indexing ${rows} companies with ${folder} …`);
    await run(['migrate']);
    using data = await folderOf(deps.source, { from: 0, to: rows }, join(deps.directory, 'data-base'), deps.signal);
    await run(['import', resolve(data.path)], [exitCodes.ok, exitCodes.partial]);
    await run(['reindex', 'companies', '--json']);
    await run(['plans', 'create', 'bench', '--unlimited']);
    await run(['accounts', 'create', 'bench', '--plan', 'bench']);
    const { stdout } = await run(['keys', 'create', '--account', 'bench', '--name', 'bench', '--json']);
    const { key } = created.parse(JSON.parse(stdout));
    return {
      program: { folder, env, signal: deps.signal },
      cli,
      database: { url: database.url, rows },
      key,
      [Symbol.asyncDispose]: database[Symbol.asyncDispose],
    };
  } catch (error) {
    await database[Symbol.asyncDispose]();
    throw error;
  }
}

async function commandOf(folder: string): Promise<string> {
  try {
    const { bin } = packageSchema.parse(JSON.parse(await readFile(join(folder, 'package.json'), 'utf8')));
    return bin['entity-search'];
  } catch (cause) {
    throw new NoBaseError(`${folder} is no checkout of the project: --base is one, with its packages installed.`, {
      cause,
    });
  }
}
