import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { estypes } from '@elastic/elasticsearch';
import { companyRow } from '../../../dev/sample/companies.ts';
import { personRow } from '../../../dev/sample/people.ts';
import { createWorld } from '../../../dev/sample/world.ts';
import { indexRequest } from '../../../mappings/registry.ts';
import { indexOptions } from '../../../src/config/indexer.ts';
import { createElasticsearchClient } from '../../../src/elasticsearch/client.ts';
import { kindNames } from '../../../src/kinds/kind.ts';
import { kinds } from '../../../src/kinds/registry.ts';
import { requiredEnv } from '../../support/jest/required-env.ts';
import { realData, testOnRealData } from '../../support/real-data.ts';

// Compares the analysis, which is written to cost little, with an equivalent form that is written to be read.

const client = createElasticsearchClient({
  url: requiredEnv('TEST_ELASTICSEARCH_URL'),
  apiKey: undefined,
  caFile: undefined,
  maxResponseBytes: 16_777_216,
  maxConnections: 2,
});
const indexOf = (kind: string): string => `test-analysis-words-${kind}-${process.pid}`;
const folding = ['lowercase', 'asciifolding'];
const expressedWords = {
  type: 'custom' as const,
  char_filter: ['expressed_marks', 'expressed_pluses'],
  tokenizer: 'expressed_words',
} satisfies Partial<estypes.AnalysisCustomAnalyzer>;

/**
 * Characters that Unicode has given no meaning may be part of a word: which these are depends on Elasticsearch's Java.
 */
const expressed = {
  char_filter: {
    expressed_marks: { type: 'pattern_replace', pattern: "['’`]|[\\u0300-\\u036F]+", replacement: '' },
    expressed_pluses: { type: 'pattern_replace', pattern: '\\+\\+', replacement: 'plusplus ' },
  },
  tokenizer: { expressed_words: { type: 'pattern', pattern: '[^\\p{L}\\p{N}\\p{M}\\p{Cn}\\p{Co}]+' } },
  filter: {
    expressed_joining: {
      type: 'pattern_replace',
      pattern: '[^\\p{L}\\p{N}\\p{M}]+|[\\u0300-\\u036F]+',
      replacement: '',
    },
  },
  analyzer: {
    words_expressed: { ...expressedWords, filter: folding },
    english_expressed: { ...expressedWords, filter: [...folding, 'english_stems', 'concepts'] },
    joined_expressed: { type: 'custom', tokenizer: 'keyword', filter: [...folding, 'expressed_joining', 'not_empty'] },
  },
} satisfies estypes.IndicesIndexSettingsAnalysis;

beforeAll(async () => {
  for (const kind of kindNames) {
    const { settings, mappings } = indexRequest(kind, indexOptions({}));
    const { analyzer, tokenizer, filter, char_filter, ...others } = settings.analysis ?? {};
    const analysis = {
      ...others,
      analyzer: { ...analyzer, ...expressed.analyzer },
      tokenizer: { ...tokenizer, ...expressed.tokenizer },
      filter: { ...filter, ...expressed.filter },
      char_filter: { ...char_filter, ...expressed.char_filter },
    };
    await client.indices.create({
      index: indexOf(kind),
      settings: { ...settings, analysis, number_of_replicas: 0 },
      mappings,
    });
  }
});

afterAll(async () => {
  await client.indices.delete({ index: kindNames.map(indexOf) });
  await client.close();
});

/** Each with its position, which phrases are found by. */
async function tokens(analyzer: string, text: string, kind = 'companies'): Promise<string[]> {
  const analyzed = await client.indices.analyze({ index: indexOf(kind), analyzer, text });
  return (analyzed.tokens ?? []).map(({ token, position }) => `${position} ${token}`);
}

/** Returns the texts that an analyzer turns into other tokens than the readable form does. */
async function differing(analyzer: Compared, texts: readonly string[]): Promise<string[]> {
  const found: string[] = [];
  for (let from = 0; from < texts.length; from += textsAtOnce[analyzer]) {
    const some = texts.slice(from, from + textsAtOnce[analyzer]);
    // A word between two texts keeps them apart.
    if (await isSame(analyzer, some.join(' . '))) continue;
    for (const text of some) if (!(await isSame(analyzer, text))) found.push(text);
  }
  return found;
}

/** Elasticsearch refuses to analyse more than 10,000 words at once. */
const textsAtOnce = { words: 500, english: 20, joined: 500 } as const;
type Compared = keyof typeof textsAtOnce;

async function isSame(analyzer: Compared, text: string): Promise<boolean> {
  const [expected, own] = await Promise.all([tokens(`${analyzer}_expressed`, text), tokens(analyzer, text)]);
  return expected.join() === own.join();
}

/** The text between blanks in all texts of a row; words never reach across one. */
function piecesOf(rows: Iterable<string>): string[] {
  const pieces = new Set<string>();
  for (const row of rows) for (const text of textsOf(row)) for (const piece of text.split(/\s+/)) pieces.add(piece);
  return [...pieces];
}

function textsOf(row: string): string[] {
  const texts: string[] = [];
  JSON.parse(row, (_key, value: unknown) => (typeof value === 'string' ? texts.push(value) : value));
  return texts;
}

function sampleRows(count: number): string[] {
  const world = createWorld(1);
  const places = Array.from({ length: count }, (_, at) => at);
  return places.flatMap((at) => [companyRow(world, at), personRow(world, at)]).map((row) => JSON.stringify(row));
}

function realRows(): string[] {
  return kindNames.flatMap((kind) =>
    readFileSync(join(realData, `${kind}.ndjson`), 'utf8')
      .split('\n')
      .filter(Boolean),
  );
}

test.each(['words', 'joined'] as const)(
  'analyzer "%s" handles every character like its readable equivalent',
  async (analyzer) => {
    const characters = Array.from({ length: 0xffff }, (_, at) => at + 1)
      .filter((code) => code < 0xd800 || code > 0xdfff)
      .map((code) => String.fromCodePoint(code));
    const words = characters.map((character) => `n${character}x`);
    expect(await differing(analyzer, words)).toEqual([]);
  },
);

test('words of the sample get the same tokens', async () => {
  const pieces = piecesOf(sampleRows(600));
  expect(pieces.length).toBeGreaterThan(2_000);
  expect(await differing('words', pieces)).toEqual([]);
});

test('texts of the sample get the same concepts at the same positions', async () => {
  const texts = sampleRows(60).flatMap(textsOf);
  expect(await differing('english', texts)).toEqual([]);
});

const onRealData = testOnRealData('words of real data');

onRealData('words of real data get the same tokens', async () => {
  expect(await differing('words', piecesOf(realRows()))).toEqual([]);
});

onRealData('every 20th entity of real data gets the same concepts at the same positions', async () => {
  const rows = realRows().filter((_, at) => at % 20 === 0);
  expect(await differing('english', rows.flatMap(textsOf))).toEqual([]);
});

describe('the word for a kind', () => {
  test.each(kindNames)('of %s matches all its words, with the tokens of the concepts that they mean', async (kind) => {
    const [, word = ''] = /'([^']+)' as kind_words/.exec(kinds[kind].sql.document) ?? [];
    expect(word).toBe(kinds[kind].noun);
    const own = await tokens('kind', word, kind);
    const expected = await tokens('english', kinds[kind].words, kind);
    const bare = (found: readonly string[]) => new Set(found.map((token) => token.split(' ')[1]));
    expect(bare(own).size).toBeGreaterThan(5);
    expect(bare(own)).toEqual(bare(expected));
  });

  test('belongs to no other kind', () => {
    for (const kind of kindNames) {
      const others = kindNames.filter((other) => other !== kind).flatMap((other) => kinds[other].words.split(' '));
      expect(others).not.toContain(kinds[kind].noun);
    }
  });
});

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
    expect((await tokens(analyzer, text)).map((placed) => placed.replace(/^\d+ /, ''))).toEqual(expected);
  });

  test('the normalizer folds case and accents, and trims', async () => {
    const analyzed = await client.indices.analyze({
      index: indexOf('companies'),
      normalizer: 'folded',
      text: ' Zürich ÅNGSTRO\u0308M ',
    });
    expect(analyzed.tokens?.map((token) => token.token)).toEqual(['zurich angstrom']);
  });

  test('a document with an unknown field is refused', async () => {
    const refused = client.index({ index: indexOf('companies'), id: '1', document: { id: 1, surprise: true } });
    await expect(refused).rejects.toMatchObject({ statusCode: 400 });
  });
});
