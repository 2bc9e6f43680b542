import type { Client } from '@elastic/elasticsearch';
import { Argument, type Command, Option } from 'commander';
import { readEmbeddings } from '../../src/config/embeddings.ts';
import { elasticsearchConfig } from '../../src/config/indexer.ts';
import { readVocabulary } from '../../src/config/vocabulary.ts';
import { ClusterRequestError } from '../../src/elasticsearch/admin.ts';
import { createElasticsearchClient, sendRequest } from '../../src/elasticsearch/client.ts';
import { createSearchPort } from '../../src/elasticsearch/search-port.ts';
import { openVectors } from '../../src/embeddings/query-vectors.ts';
import { type KindName, kindNames } from '../../src/kinds/kind.ts';
import { executeSearch, type SearchPage } from '../../src/search/execute-search.ts';
import { type QueryVectors, searchTools } from '../../src/search/ports.ts';
import { prepareQuery } from '../../src/search/query.ts';
import { loadKnowledge } from '../../src/search/questions/knowledge-source.ts';
import {
  explainBody,
  floorLines,
  hitLines,
  parseExplained,
  understandingLines,
} from '../../src/search/ranking/explain.ts';
import type { Pass } from '../../src/search/ranking/ranked-query.ts';
import { normalizeText } from '../../src/search/vocabulary/analyze-text.ts';
import type { CommandContext } from '../context.ts';
import { defineCommand } from '../define-command.ts';

interface Flags {
  readonly type: KindName | 'all';
  /** JSON only with `--json`, also if the output is piped: people read explanations through pagers. */
  readonly json: boolean;
}

const hits = 5;
const maxResponseBytes = 8 * 1_048_576;
const timeoutMs = 30_000;

export function makeCommand(context: CommandContext): Command {
  return defineCommand('explain', {
    notes: `A hit has the score of the best tier that it matched, and points for contents, labels, place and popularity on top.
docs/relevance.md describes the tiers and how to change their vocabulary. With EMBEDDINGS set, a search that needs
vectors is explained with them; computing those of the vocabulary takes half a minute. With --json, the scores of
Elasticsearch are printed.`,
    examples: [
      'explain "unsiwap"',
      'explain "lending on base" --type companies',
      'explain "startups in berlin founded after 2020"',
    ],
  })
    .addArgument(new Argument('<text>', 'the query, as a consumer would send it'))
    .addOption(new Option('--type <type>', 'one kind, or all').choices([...kindNames, 'all']).default('all'))
    .action((text: string, _: unknown, command: Command) =>
      explainSearch(context, text, command.optsWithGlobals<Flags>()),
    );
}

async function explainSearch(context: CommandContext, query: string, flags: Flags): Promise<void> {
  const { terminal } = context;
  if (normalizeText(query) === '') {
    terminal.say('Without text everything is listed, the most prominent first; there is nothing to explain.');
    return;
  }
  const { url, apiKey, caFile, indexPrefix } = elasticsearchConfig(context.env);
  const client = createElasticsearchClient({ url, apiKey, caFile, maxResponseBytes, maxConnections: 2 });
  try {
    const port = createSearchPort(client);
    const vocabulary = readVocabulary();
    const loaded = await loadKnowledge({ indexPrefix, vocabulary }, (request) =>
      port.search({ ...request, timeoutMs, signal: context.signal }),
    );
    if (!loaded.ok) throw new ClusterRequestError('answer', loaded);
    const reading = { vocabulary, knowledge: loaded.knowledge, now: new Date(), indexPrefix };
    const prepared = prepareQuery({ type: flags.type, text: query, page: 1, limit: 1 }, reading);
    const find = async (vectors: QueryVectors | null): Promise<SearchPage> => {
      const found = await executeSearch(
        prepared,
        searchTools(port, () => timeoutMs, { signal: context.signal, vectors }),
      );
      if (found.ok) return found;
      throw new ClusterRequestError('answer', found);
    };
    const words = await find(null);
    const config = readEmbeddings(context.env);
    if (config === null || (words.pass !== 'tolerant' && words.pass !== 'similar'))
      return await explainFound(context, client, words, flags);
    terminal.say('Computing the vectors of the vocabulary, because words alone find too little ...');
    await using vectors = await openVectors(config, reading);
    await explainFound(context, client, await find(vectors), flags);
  } finally {
    await client.close();
  }
}

async function explainFound(context: CommandContext, client: Client, found: SearchPage, flags: Flags): Promise<void> {
  const { query, pass } = found;
  const { ranked, indices } = query;
  if (ranked === null) return;
  const answer = await sendRequest(
    client,
    {
      method: 'POST',
      path: `/${indices.map(encodeURIComponent).join(',')}/_search`,
      querystring: { search_type: 'dfs_query_then_fetch', include_named_queries_score: true },
      body: explainBody(query, pass, hits),
    },
    { timeoutMs, signal: context.signal },
  );
  if (!answer.ok) throw new ClusterRequestError('answer', answer);
  const explained = parseExplained(answer.body);
  const { stdout } = context.terminal;
  if (flags.json) {
    stdout.write(`${JSON.stringify({ text: ranked.analyzed.text, pass, ...explained.hits })}\n`);
    return;
  }
  const lines = [
    ...understandingLines(ranked),
    ...floorLines(query),
    `${pass} pass: ${passMeanings[pass]}`,
    `${explained.hits.total.value} hits`,
    '',
    ...hitLines(explained),
  ];
  stdout.write(`${lines.join('\n')}\n`);
}

const passMeanings: Readonly<Record<Pass, string>> = {
  strict: 'every word must match as spelled',
  partial: 'enough of the words must match as spelled',
  tolerant: 'too little matches as spelled, so typos are allowed',
  semantic: 'no words match well, so nearness in meaning counts too',
  similar: 'entities like the named one',
};
