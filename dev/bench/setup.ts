import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { Client } from '@elastic/elasticsearch';
import { aliasName } from '../../src/kinds/index-names.ts';
import { startEngines } from '../engines/engines.ts';
import { withClient } from '../engines/postgres/client.ts';
import { type Source, sourceOf } from './data.ts';
import { companiesDatabase, type Database, scratchCopy } from './databases.ts';
import type { BenchOptions } from './options.ts';
import { cli, type ProgramContext, type Ran, runProgram } from './programs.ts';

export interface BenchSetup extends AsyncDisposable {
  readonly options: BenchOptions;
  readonly signal: AbortSignal;
  readonly printLine: (line: string) => void;
  readonly elasticsearch: string;
  readonly client: Client;
  readonly versions: Readonly<Record<string, string>>;
  /** The number of companies: `--rows`, by default 200,000. */
  readonly rows: number;
  path(name: string): string;
  database(rows: number): Promise<Database>;
  scratch(of: Database, label: string): Promise<Database & AsyncDisposable>;
  program(database: Database, env?: Readonly<Record<string, string>>): ProgramContext;
  /** Runs `entity-search reindex companies`; earlier indices are removed. */
  reindex(database: Database): Promise<Ran>;
  /** The name under which a database's companies are searched after `indexed`. */
  alias(database: Database): string;
  indexed(database: Database): Promise<string>;
  removeIndices(database: Database): Promise<void>;
}

const defaultRows = 200_000;
/** The heap of an Elasticsearch that is started here. */
export const heapMb = 1_024;
const ours = 'bench-*';

export async function openBenchSetup(
  options: BenchOptions,
  signal: AbortSignal,
  printLine: (line: string) => void,
): Promise<BenchSetup> {
  const source = sourceOf(options.data);
  mkdirSync(join(options.state, 'log'), { recursive: true });
  const engines = await startEngines({
    state: options.state,
    env: process.env,
    printLine,
    heapMb,
    signal,
  });
  const client = new Client({ node: engines.elasticsearch.url });
  const close = async (): Promise<void> => {
    try {
      await removeAll(client, ours);
      await client.close();
    } finally {
      await engines.stop();
    }
  };
  try {
    await removeAll(client, ours);
    const versions = await versionsOf(client, engines.postgres.url);
    return benchSetup({ options, signal, printLine, source, client, versions, close, engines });
  } catch (error) {
    await close();
    throw error;
  }
}

interface Parts {
  readonly options: BenchOptions;
  readonly signal: AbortSignal;
  readonly printLine: (line: string) => void;
  readonly source: Source;
  readonly client: Client;
  readonly versions: Readonly<Record<string, string>>;
  readonly close: () => Promise<void>;
  readonly engines: { readonly postgres: { readonly url: string }; readonly elasticsearch: { readonly url: string } };
}

function benchSetup({ options, signal, printLine, source, client, versions, close, engines }: Parts): BenchSetup {
  const elasticsearch = engines.elasticsearch.url;
  const server = engines.postgres.url;
  const path = (name: string): string => join(options.state, name);
  const logFile = path('log/bench.log');
  const built = new Set<string>();
  const program: BenchSetup['program'] = (database, env = {}) => ({
    env: {
      DATABASE_URL: database.url,
      ELASTICSEARCH_URL: elasticsearch,
      INDEX_PREFIX: prefixOf(database),
      // Only one index is followed, so that each measurement writes once.
      GENERATIONS_KEPT: '0',
      ...env,
    },
    signal,
    logFile,
  });
  const reindex: BenchSetup['reindex'] = async (database) => {
    const ran = await runProgram([cli, 'reindex', 'companies', '--json'], program(database));
    built.add(database.name);
    return ran;
  };
  const alias: BenchSetup['alias'] = (database) => aliasName(prefixOf(database), 'companies');
  const loading = { server, source, directory: options.state, printLine, signal, logFile };
  return {
    options,
    signal,
    printLine,
    elasticsearch,
    client,
    versions,
    rows: options.rows ?? defaultRows,
    path,
    program,
    reindex,
    alias,
    database: (rows) => companiesDatabase(loading, rows),
    scratch: (of, label) => scratchCopy(server, of, label),
    async indexed(database) {
      if (!built.has(database.name)) {
        printLine(`Indexing ${database.rows} companies …`);
        await reindex(database);
      }
      return alias(database);
    },
    async removeIndices(database) {
      built.delete(database.name);
      await removeAll(client, `${prefixOf(database)}*`);
    },
    [Symbol.asyncDispose]: close,
  };
}

function prefixOf({ name }: Database): string {
  return `${name.replaceAll('_', '-')}-`;
}

async function removeAll(client: Client, pattern: string): Promise<void> {
  for (const index of Object.keys(await client.indices.get({ index: pattern, features: ['aliases'] }))) {
    await client.indices.delete({ index });
  }
}

async function versionsOf(client: Client, postgres: string): Promise<Record<string, string>> {
  const { nodes } = await client.nodes.info();
  const { rows } = await withClient(postgres, (database) =>
    database.query<{ server_version: string }>('show server_version'),
  );
  return {
    node: process.versions.node,
    elasticsearch: Object.values(nodes)[0]?.version ?? 'unknown',
    postgres: rows[0]?.server_version.split(' ')[0] ?? 'unknown',
  };
}
