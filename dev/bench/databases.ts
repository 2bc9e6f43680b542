import { join } from 'node:path';
import type pg from 'pg';
import { exitCodes } from '../../cli/exit-codes.ts';
import { withClient } from '../engines/postgres/client.ts';
import { schemaHash } from '../engines/postgres/schema-hash.ts';
import { databaseName, folderOf, type Source } from './data.ts';
import { cli, type ProgramContext, runProgram } from './programs.ts';

export interface Database {
  readonly name: string;
  readonly url: string;
  readonly rows: number;
}

export interface DatabaseDeps extends Omit<ProgramContext, 'env'> {
  /** Any database of the server, for a role that may create others. */
  readonly server: string;
  readonly source: Source;
  readonly directory: string;
  readonly printLine: (line: string) => void;
}

/** Returns a database with the source's first companies, which earlier runs may have filled. */
export async function companiesDatabase(deps: DatabaseDeps, rows: number): Promise<Database> {
  const name = databaseName(deps.source, schemaHash(), rows);
  const url = urlOf(deps.server, name);
  if (!(await isWhole(deps.server, name))) await fill(deps, { name, url, rows });
  const found = await withClient(url, (client) =>
    client.query<{ rows: number }>('select count(*)::int as rows from companies'),
  );
  return { name, url, rows: found.rows[0]?.rows ?? 0 };
}

const wholeMark = 'whole';

async function isWhole(server: string, name: string): Promise<boolean> {
  const text = `select from pg_database where datname = $1 and shobj_description(oid, 'pg_database') = $2`;
  return (await withClient(server, (client) => client.query(text, [name, wholeMark]))).rowCount === 1;
}

async function fill(deps: DatabaseDeps, { name, url, rows }: Database): Promise<void> {
  const { server, source, printLine, signal } = deps;
  printLine(`Loading ${rows} companies (${source.name}) …`);
  const startedMs = performance.now();
  await dropDatabase(server, name);
  await withClient(server, (client) => client.query(`create database ${name}`));
  await runProgram([cli, 'migrate'], { ...deps, env: { DATABASE_URL: url } });
  using folder = await folderOf(source, { from: 0, to: rows }, join(deps.directory, `data-${process.pid}`), signal);
  // The import logs the lines that it refuses. The benches use the others.
  const allowed = [exitCodes.ok, exitCodes.partial];
  await runProgram([cli, 'import', folder.path], { ...deps, env: { DATABASE_URL: url } }, allowed);
  await withClient(url, async (client) => {
    await forgetIndices(client);
    await client.query('vacuum analyze');
    await client.query(`comment on database ${name} is '${wholeMark}'`);
    await client.query('checkpoint');
  });
  printLine(`Loaded in ${((performance.now() - startedMs) / 1_000).toFixed(1)} s.`);
}

/** A copy to write in, dropped at the end of the block. */
export async function scratchCopy(server: string, of: Database, label: string): Promise<Database & AsyncDisposable> {
  const name = `bench_scratch_${label}`;
  await dropDatabase(server, name);
  await copyDatabase(server, of.name, name);
  const url = urlOf(server, name);
  await withClient(url, forgetIndices);
  return {
    name,
    url,
    rows: of.rows,
    [Symbol.asyncDispose]: () => dropDatabase(server, name),
  };
}

/** A copied database knows the indices of its original, and its log is useful only to them. */
async function forgetIndices(client: pg.Client): Promise<void> {
  await client.query('truncate search_changes, search_generations cascade');
}

async function copyDatabase(server: string, from: string, to: string): Promise<void> {
  // Whole files: a copy through the log would take twice as long and leave a log to be cleaned up meanwhile.
  await withClient(server, (client) => client.query(`create database ${to} template ${from} strategy file_copy`));
}

async function dropDatabase(server: string, name: string): Promise<void> {
  await withClient(server, (client) => client.query(`drop database if exists ${name} with (force)`));
}

function urlOf(server: string, name: string): string {
  const url = new URL(server);
  url.pathname = `/${name}`;
  return url.href;
}
