import { Argument, Command, InvalidArgumentError, Option } from 'commander';
import { elasticsearchConfig } from '../../src/config/indexer.ts';
import { readVocabulary } from '../../src/config/vocabulary.ts';
import { createElasticsearchClient } from '../../src/elasticsearch/client.ts';
import { aliasName } from '../../src/kinds/index-names.ts';
import { type KindName, kindNames } from '../../src/kinds/kind.ts';
import { chooseFinalPass, chooseInitialPass, type Pass } from '../../src/search/passes.ts';
import { kindsOf } from '../../src/search/query.ts';
import {
  type ExplainedResponse,
  explainBody,
  hitLines,
  parseExplained,
  understandingLines,
} from '../../src/search/ranking/explain.ts';
import { type AnalyzedText, analyzeText, normalizeText } from '../../src/search/vocabulary/analyze-text.ts';
import type { CommandContext } from '../context.ts';

interface Flags {
  readonly type: KindName | 'all';
  readonly hits: number;
  readonly json?: boolean;
}

const hitsMax = 50;
const maxResponseBytes = 8 * 1_048_576;

export function explainCommand(context: CommandContext): Command {
  return new Command('explain')
    .description('explain why the first hits of a search rank where they do')
    .addArgument(new Argument('<text>', 'the query, as a consumer would send it'))
    .addOption(new Option('--type <type>', 'one kind, or all').choices([...kindNames, 'all']).default('all'))
    .option('--hits <number>', `how many hits, 1 to ${hitsMax}`, parseHits, 5)
    .option('--json', 'print the scores of Elasticsearch as JSON')
    .addHelpText(
      'after',
      `
A hit has the score of the best tier that it matched, and points for contents, labels, place and popularity on top.
docs/relevance.md describes the tiers and how to change their vocabulary.

Examples:
  $ entity-search explain "unsiwap"
  $ entity-search explain "lending on base" --type companies --hits 3`,
    )
    .action((text: string, flags: Flags) => explainSearch(context, text, flags));
}

async function explainSearch(context: CommandContext, query: string, flags: Flags): Promise<void> {
  const { terminal } = context;
  const text = normalizeText(query);
  if (text === '') {
    terminal.say('Without text everything is listed, the most prominent first; there is nothing to explain.');
    return;
  }
  const analyzed = analyzeText(text, readVocabulary());
  const initial = chooseInitialPass(flags.type);
  const first = await explainPass(context, analyzed, initial, flags);
  const best = first.hits.max_score ?? 0;
  const pass = chooseFinalPass(initial, analyzed, { best, hits: first.hits.total.value });
  const response = pass === initial ? first : await explainPass(context, analyzed, pass, flags);
  if (flags.json) {
    terminal.stdout.write(`${JSON.stringify({ text, pass, ...response.hits })}\n`);
    return;
  }
  const trusted = `trusting the spelling, the best of ${first.hits.total.value} hits has ${best.toFixed(1)} points`;
  const reasons = {
    strict: trusted,
    partial:
      initial === 'partial'
        ? `${trusted}; of a kind with few entities, those with enough of the words are asked for at once`
        : `${trusted}; so few have every word that those with enough of them follow`,
    tolerant: `${trusted}, too few to be sure`,
  } as const;
  const lines = [
    ...understandingLines(analyzed),
    `${pass} pass: ${reasons[pass]}`,
    `${response.hits.total.value} hits`,
    '',
    ...hitLines(response),
  ];
  terminal.stdout.write(`${lines.join('\n')}\n`);
}

async function explainPass(
  context: CommandContext,
  text: AnalyzedText,
  pass: Pass,
  flags: Flags,
): Promise<ExplainedResponse> {
  const { url, apiKey, caFile, indexPrefix } = elasticsearchConfig(context.env);
  const client = createElasticsearchClient({ url, apiKey, caFile, maxResponseBytes, maxConnections: 1 });
  try {
    const indices = kindsOf(flags.type).map((kind) => aliasName(indexPrefix, kind));
    const response = await client.transport.request(
      {
        method: 'POST',
        path: `/${indices.map(encodeURIComponent).join(',')}/_search`,
        querystring: { search_type: 'dfs_query_then_fetch', include_named_queries_score: true },
        body: explainBody(text, pass, flags.hits),
      },
      { signal: context.signal },
    );
    return parseExplained(response);
  } finally {
    await client.close();
  }
}

function parseHits(value: string): number {
  const hits = Number(value);
  if (Number.isInteger(hits) && hits >= 1 && hits <= hitsMax) return hits;
  throw new InvalidArgumentError(`Give a whole number from 1 to ${hitsMax}.`);
}
