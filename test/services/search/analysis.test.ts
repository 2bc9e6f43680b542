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

beforeAll(async () => {
  const { settings, mappings } = indexRequest('companies', indexOptions({}));
  await client.indices.create({ index, settings: { ...settings, number_of_replicas: 0 }, mappings });
});

afterAll(async () => {
  await client.indices.delete({ index });
  await client.close();
});

async function tokens(analyzer: string, text: string): Promise<string[]> {
  const analyzed = await client.indices.analyze({ index, analyzer, text });
  return (analyzed.tokens ?? []).map((token) => token.token);
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

  test('the normalizer folds case and accents and trims', async () => {
    const analyzed = await client.indices.analyze({ index, normalizer: 'folded', text: ' Zürich ÅNGSTRO\u0308M ' });
    expect(analyzed.tokens?.map((token) => token.token)).toEqual(['zurich angstrom']);
  });

  test('a document with an unknown field is refused', async () => {
    const refused = client.index({ index, id: '1', document: { id: 1, surprise: true } });
    await expect(refused).rejects.toMatchObject({ statusCode: 400 });
  });
});
