import { z } from 'zod';
import { elasticsearchConfig } from '../../src/config/indexer.ts';
import type { Environment } from '../../src/config/settings.ts';
import { readVocabulary } from '../../src/config/vocabulary.ts';
import { createElasticsearchClient, sendRequest } from '../../src/elasticsearch/client.ts';
import { createSearchPort } from '../../src/elasticsearch/search-port.ts';
import { aliasName } from '../../src/kinds/index-names.ts';
import { kindNames } from '../../src/kinds/kind.ts';
import { executeSearch } from '../../src/search/execute-search.ts';
import { searchTools } from '../../src/search/ports.ts';
import { prepareQuery, type SearchQuery } from '../../src/search/query.ts';
import { emptyKnowledge } from '../../src/search/questions/knowledge.ts';
import { misspelt } from './instructions.ts';

const answerTimeoutMs = 10_000;

/** The demo's indices, asked without a key, so that no call of the user's is counted. */
export interface DemoIndices extends AsyncDisposable {
  /** The identity of the cluster at this address; undefined if it does not report one. */
  clusterId(): Promise<string | undefined>;
  serve(): Promise<boolean>;
  /** The name of the first company of an empty search; undefined if there is none. */
  firstCompany(): Promise<string | undefined>;
  /**
   * Sends the searches that people are likely to try first, until the answers come quickly or some seconds are over: a
   * Java machine that has just started would answer its first user ten times slower, on a busy machine too late.
   */
  warmUp(signal: AbortSignal): Promise<void>;
}

/** Reads ELASTICSEARCH_URL, its credentials and INDEX_PREFIX. Opens nothing until it is used. */
export function demoIndices(env: Environment): DemoIndices {
  const settings = elasticsearchConfig(env);
  const client = createElasticsearchClient({ ...settings, maxConnections: 4, maxResponseBytes: 16_777_216 });
  const port = createSearchPort(client);
  const context = { vocabulary: readVocabulary(), indexPrefix: settings.indexPrefix, knowledge: emptyKnowledge };
  const aliases = kindNames.map((kind) => aliasName(settings.indexPrefix, kind));

  const names = async (query: SearchQuery, signal?: AbortSignal): Promise<readonly string[]> => {
    const prepared = prepareQuery(query, { ...context, now: new Date() });
    const outcome = await executeSearch(
      prepared,
      searchTools(port, () => answerTimeoutMs, { ...(signal && { signal }) }),
    );
    return outcome.ok ? outcome.response.results.flatMap(({ name }) => (typeof name === 'string' ? [name] : [])) : [];
  };
  const firstCompany: DemoIndices['firstCompany'] = async () => (await names(everything('companies', 1)))[0];

  return {
    async clusterId() {
      const path = '/_cluster/state/version';
      const answer = await sendRequest(client, { method: 'GET', path }, { timeoutMs: answerTimeoutMs });
      return z.object({ cluster_uuid: z.string().optional() }).parse(answer.ok ? answer.body : {}).cluster_uuid;
    },
    async serve() {
      const path = `/_alias/${aliases.map(encodeURIComponent).join(',')}`;
      return (await sendRequest(client, { method: 'GET', path }, { timeoutMs: answerTimeoutMs })).ok;
    },
    firstCompany,
    async warmUp(signal) {
      const queries = likelyQueries((await firstCompany()) ?? 'exchange');
      await untilQuick(async () => {
        for (const query of queries) if (!signal.aborted) await names(query, signal);
      }, signal);
    },
    [Symbol.asyncDispose]: () => client.close(),
  };
}

function everything(type: SearchQuery['type'], limit: number): SearchQuery {
  return { type, text: '', page: 1, limit };
}

function likelyQueries(name: string): readonly SearchQuery[] {
  const texts = [name, misspelt(name), 'founder of lending protocol', 'ma'];
  return (['all', ...kindNames] as const).flatMap((type) => [
    everything(type, 20),
    ...texts.map((text) => ({ type, text, page: 1, limit: 20 })),
  ]);
}

const quickRoundMs = 1_000;
const warmUpMs = 5_000;

async function untilQuick(round: () => Promise<void>, signal: AbortSignal): Promise<void> {
  const begun = performance.now();
  for (let from = begun; !signal.aborted && from - begun < warmUpMs; from = performance.now()) {
    await round();
    if (performance.now() - from < quickRoundMs) return;
  }
}
