import type { Client } from '@elastic/elasticsearch';
import { pino } from 'pino';
import { runCli } from '../../cli/cli.ts';
import { createTerminal } from '../../cli/terminal.ts';
import { readEmbeddings } from '../../src/config/embeddings.ts';
import type { Environment } from '../../src/config/settings.ts';
import { readVocabulary } from '../../src/config/vocabulary.ts';
import { createElasticsearchClient } from '../../src/elasticsearch/client.ts';
import { createSearchPort } from '../../src/elasticsearch/search-port.ts';
import { aliasName } from '../../src/kinds/index-names.ts';
import { kindNames } from '../../src/kinds/kind.ts';
import { executeSearch } from '../../src/search/execute-search.ts';
import { type QueryVectors, searchTools } from '../../src/search/ports.ts';
import { prepareQuery, type QueryContext } from '../../src/search/query.ts';
import { loadKnowledge } from '../../src/search/questions/knowledge-source.ts';
import { withClient } from '../engines/postgres/client.ts';
import type { RunSearch } from './run.ts';

/** Entities in a database and indices of their own, apart from whatever else the engines hold. */
export interface Corpus {
  /** Lower-case letters, digits and "_". */
  readonly name: string;
  readonly postgresUrl: string;
  readonly elasticsearchUrl: string;
  readonly settings?: Environment;
}

type Reading = Pick<QueryContext, 'vocabulary' | 'knowledge'>;

const maxResponseBytes = 64 * 1024 * 1024;
const timeoutMs = 60_000;

function databaseName({ name }: Corpus): string {
  return `entity_search_eval_${name}`;
}

export function indexPrefix({ name }: Corpus): string {
  return `eval-${name.replaceAll('_', '-')}-`;
}

export function corpusClient({ elasticsearchUrl }: Corpus): Client {
  return createElasticsearchClient({
    url: elasticsearchUrl,
    apiKey: undefined,
    caFile: undefined,
    maxResponseBytes,
    maxConnections: 4,
  });
}

export async function loadCorpus(corpus: Corpus, folders: readonly string[], signal: AbortSignal): Promise<void> {
  await dropCorpus(corpus);
  await withClient(corpus.postgresUrl, (client) => client.query(`create database ${databaseName(corpus)}`));
  await runIndexer(corpus, ['migrate'], signal);
  for (const folder of folders) await runIndexer(corpus, ['import', folder], signal);
  if (readEmbeddings(process.env) !== null) await runIndexer(corpus, ['embed'], signal);
  await reindexCorpus(corpus, signal);
}

export async function reindexCorpus(corpus: Corpus, signal: AbortSignal): Promise<void> {
  await runIndexer(corpus, ['reindex'], signal);
  await using client = disposable(corpusClient(corpus));
  await client.indices.refresh({ index: aliases(corpus) });
}

export async function isLoaded(corpus: Corpus): Promise<boolean> {
  await using client = disposable(corpusClient(corpus));
  return client.indices.exists({ index: aliases(corpus) });
}

export async function dropCorpus(corpus: Corpus): Promise<void> {
  await withClient(corpus.postgresUrl, (client) =>
    client.query(`drop database if exists ${databaseName(corpus)} with (force)`),
  );
  await using client = disposable(corpusClient(corpus));
  const indices = await client.indices.get({ index: `${indexPrefix(corpus)}*`, expand_wildcards: 'all' });
  for (const index of Object.keys(indices)) await client.indices.delete({ index });
}

/** Returns the knowledge for reading queries about the indices. Throws if they don't answer. */
export async function readingOf(prefix: string, client: Client): Promise<Reading> {
  const vocabulary = readVocabulary();
  const port = createSearchPort(client);
  const loaded = await loadKnowledge({ indexPrefix: prefix, vocabulary }, (request) =>
    port.search({ ...request, timeoutMs }),
  );
  if (loaded.ok) return { vocabulary, knowledge: loaded.knowledge };
  throw new Error(`The indices could not be read: ${loaded.reason}`, { cause: loaded.cause });
}

export function searchOf(
  prefix: string,
  client: Client,
  { vocabulary, knowledge }: Reading,
  vectors: QueryVectors | null = null,
): RunSearch {
  const port = createSearchPort(client);
  const context = { vocabulary, indexPrefix: prefix, knowledge };
  return async (query) => {
    const prepared = prepareQuery(query, { ...context, now: new Date() });
    const outcome = await executeSearch(
      prepared,
      searchTools(port, () => timeoutMs, { vectors }),
    );
    if (outcome.ok) return outcome.response;
    throw new Error(`"${query.text}" could not be searched for: ${outcome.reason}`, { cause: outcome.cause });
  };
}

function aliases(corpus: Corpus): string[] {
  return kindNames.map((kind) => aliasName(indexPrefix(corpus), kind));
}

async function runIndexer(corpus: Corpus, args: readonly string[], signal: AbortSignal): Promise<void> {
  const database = new URL(corpus.postgresUrl);
  database.pathname = databaseName(corpus);
  const env = {
    ...process.env,
    ...corpus.settings,
    DATABASE_URL: database.href,
    ELASTICSEARCH_URL: corpus.elasticsearchUrl,
    INDEX_PREFIX: indexPrefix(corpus),
  };
  // Intermediate results are for people; standard output is for the figures.
  const terminal = createTerminal(process.stderr, process.stderr);
  const log = pino({ level: 'warn' }, pino.destination({ dest: 2, sync: true }));
  const code = await runCli(args, { env, terminal, log, signal }, 'eval');
  if (code !== 0) throw new Error(`"entity-search ${args.join(' ')}" ended with ${code}; see the reason above.`);
}

export function disposable(client: Client): Client & AsyncDisposable {
  return Object.assign(client, { [Symbol.asyncDispose]: () => client.close() });
}
