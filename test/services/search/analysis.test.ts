import type { estypes } from '@elastic/elasticsearch';
import { indexRequest } from '../../../mappings/registry.ts';
import { indexOptions } from '../../../src/config/indexer.ts';
import { createElasticsearchClient } from '../../../src/elasticsearch/client.ts';
import { requiredEnv } from '../../support/jest/required-env.ts';

const index = `test-analysis-${process.pid}-${Date.now()}`;
const client = createElasticsearchClient({
  url: requiredEnv('TEST_ELASTICSEARCH_URL'),
  apiKey: undefined,
  caFile: undefined,
  maxResponseBytes: 1_048_576,
  maxConnections: 2,
});

/**
 * What a word is, as one would write it down; too dear for every text. Characters that Unicode has given no meaning may
 * be part of one: which these are depends on Elasticsearch's Java.
 */
const byExpressions = {
  char_filter: { expressed_marks: { type: 'pattern_replace', pattern: "['’`]|[\\u0300-\\u036F]+", replacement: '' } },
  tokenizer: { expressed_words: { type: 'pattern', pattern: '[^\\p{L}\\p{N}\\p{M}\\p{Cn}\\p{Co}]+' } },
  analyzer: {
    by_expressions: {
      type: 'custom',
      char_filter: ['expressed_marks'],
      tokenizer: 'expressed_words',
      filter: ['lowercase', 'asciifolding'],
    },
  },
} satisfies estypes.IndicesIndexSettingsAnalysis;

beforeAll(async () => {
  const { settings, mappings } = indexRequest('companies', indexOptions({}));
  const { analyzer, tokenizer, char_filter, ...others } = settings.analysis ?? {};
  const analysis = {
    ...others,
    analyzer: { ...analyzer, ...byExpressions.analyzer },
    tokenizer: { ...tokenizer, ...byExpressions.tokenizer },
    char_filter: { ...char_filter, ...byExpressions.char_filter },
  };
  await client.indices.create({ index, settings: { ...settings, analysis, number_of_replicas: 0 }, mappings });
});

afterAll(async () => {
  await client.indices.delete({ index });
  await client.close();
});

async function tokens(analyzer: string, text: string): Promise<string[]> {
  const analyzed = await client.indices.analyze({ index, analyzer, text });
  return (analyzed.tokens ?? []).map((token) => token.token);
}

const charactersAtOnce = 1_024;

/** Those characters at which the two ways to find words differ. */
async function apart(characters: readonly string[]): Promise<string[]> {
  const found: string[] = [];
  for (const character of characters) {
    const text = `n${character}x`;
    const [expected, own] = await Promise.all([tokens('by_expressions', text), tokens('words', text)]);
    if (expected.join(' ') !== own.join(' ')) found.push((character.codePointAt(0) ?? 0).toString(16));
  }
  return found;
}

describe('text → tokens', () => {
  test.each([
    ['words', "Café's de-Fi №2", ['cafes', 'de', 'fi', '2']],
    ['words', 'BlockHarbor (YC S21)', ['blockharbor', 'yc', 's21']],
    ['words', 'Poche\u0301 caf\u00e9', ['poche', 'cafe']],
    ['words', 'नमस्ते दुनिया', ['नमस्ते', 'दुनिया']],
    ['words', '  ', []],
    ['joined', 'De-Fi Llama!', ['defillama']],
    ['joined', 'Ünï × Swap', ['uniswap']],
    ['joined', 'Poche\u0301 Labs', ['pochelabs']],
    ['joined', 'नमस्ते-दुनिया', ['नमस्तेदुनिया']],
    ['joined', '!!!', []],
    ['joined_neighbours', 'de fi llama', ['de', 'defi', 'defillama', 'fi', 'fillama', 'llama']],
    ['joined_neighbours', 'EIP-1559', ['eip', 'eip1559', '1559']],
    [
      'joined_neighbours_only',
      'open zeppelin contracts',
      ['openzeppelin', 'openzeppelincontracts', 'zeppelincontracts'],
    ],
    ['joined_neighbours_only', 'single', []],
    ['grams', 'Uni Swap', ['_un', 'uni', 'nis', 'isw', 'swa', 'wap', 'ap_']],
    ['grams', 'Une\u0301', ['_un', 'une', 'ne_']],
    ['grams', 'ana banana', ['_an', 'ana', 'nab', 'aba', 'ban', 'nan', 'na_']],
    ['english', 'Decentralized exchanges', ['decentralize', 'dex', 'exchange']],
    ['english', 'Hardware wallets', ['hardware', 'hardwarewallet', 'wallet', 'wallet']],
    ['label', 'Staking-as-a-Service', ['stakingasaservice']],
    ['label', 'smart-contracts', ['smartcontract']],
    ['label_question', 'smart contracts', ['smart', 'smartcontract', 'contract']],
    ['stems', 'validators staking', ['validate', 'stake']],
    ['english', 'the universe of a university', ['the', 'universe', 'of', 'a', 'university', 'academia']],
    ['english_question', 'what are the best exchanges for my tokens', ['exchange', 'token']],
    ['english_question', 'who invested in bridges', ['bridge']],
  ])('%s: %j → %j', async (analyzer, text, expected) => {
    expect(await tokens(analyzer, text)).toEqual(expected);
  });

  test('words end at every character that is no letter, number or mark', async () => {
    const differing: string[] = [];
    for (let from = 0x01; from < 0x10000; from += charactersAtOnce) {
      const characters = Array.from({ length: charactersAtOnce }, (_, at) => from + at)
        .filter((code) => code < 0xd800 || code > 0xdfff)
        .map((code) => String.fromCodePoint(code));
      const text = characters.map((character) => `n${character}x `).join('');
      const [expected, found] = await Promise.all([tokens('by_expressions', text), tokens('words', text)]);
      if (JSON.stringify(expected) !== JSON.stringify(found)) differing.push(...(await apart(characters)));
    }
    expect(differing).toEqual([]);
  });

  test('the normalizer folds case and accents and trims', async () => {
    const analyzed = await client.indices.analyze({ index, normalizer: 'folded', text: ' Zürich ÅNGSTRO\u0308M ' });
    expect(analyzed.tokens?.map((token) => token.token)).toEqual(['zurich angstrom']);
  });

  test('a document with an unknown field is refused', async () => {
    const refused = client.index({ index, id: '1', document: { id: 1, surprise: true } });
    await expect(refused).rejects.toMatchObject({ statusCode: 400 });
  });
});
