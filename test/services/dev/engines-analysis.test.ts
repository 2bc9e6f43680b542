/** Whatever engine the test run was given: what passes on the local node must pass on the official image. */
const url = process.env.TEST_ELASTICSEARCH_URL ?? '';

interface Token {
  readonly token: string;
  readonly position: number;
}

async function send(method: string, path: string, body?: unknown): Promise<unknown> {
  const answer = await fetch(`${url}${path}`, {
    method,
    ...(body === undefined ? {} : { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
  });
  const json = await answer.json();
  if (!answer.ok) throw new Error(`${answer.status}: ${JSON.stringify(json)}`);
  return json;
}

async function analyze(request: unknown): Promise<readonly Token[]> {
  const answer = await send('POST', '/_analyze', request);
  // The tokens are asserted on, so a wrong shape fails the test.
  return (answer as { tokens: Token[] }).tokens;
}

async function tokens(request: unknown): Promise<readonly string[]> {
  return (await analyze(request)).map(({ token }) => token);
}

const keyword = 'keyword';
const standard = 'standard';

describe('token filters', () => {
  test.each<[string, object | string, string, string, readonly string[]]>([
    ['asciifolding', 'asciifolding', standard, 'Ångström Café', ['Angstrom', 'Cafe']],
    [
      'asciifolding, original kept',
      { type: 'asciifolding', preserve_original: true },
      standard,
      'Café',
      ['Cafe', 'Café'],
    ],
    ['pattern_replace', { type: 'pattern_replace', pattern: '[^a-z]+', replacement: '' }, keyword, 'de-fi 2', ['defi']],
    [
      'pattern_replace, first only',
      { type: 'pattern_replace', pattern: 'a', replacement: 'o', all: false },
      keyword,
      'banana',
      ['bonana'],
    ],
    [
      'pattern_replace, flags',
      { type: 'pattern_replace', pattern: 'INC$', flags: 'CASE_INSENSITIVE' },
      keyword,
      'acme inc',
      ['acme '],
    ],
    ['length', { type: 'length', min: 3, max: 4 }, standard, 'a bc def ghij klmno', ['def', 'ghij']],
    [
      'stemmer light_english',
      { type: 'stemmer', language: 'light_english' },
      standard,
      'lending protocols',
      ['lend', 'protocol'],
    ],
    ['stemmer english', { type: 'stemmer', language: 'english' }, standard, 'organization', ['organ']],
    ['stemmer minimal_english', { type: 'stemmer', language: 'minimal_english' }, standard, 'exchanges', ['exchange']],
    [
      'stemmer possessive_english',
      { type: 'stemmer', language: 'possessive_english' },
      standard,
      "Vitalik's",
      ['Vitalik'],
    ],
    ['stemmer german', { type: 'stemmer', language: 'german' }, standard, 'häuser', ['haus']],
    ['stemmer by name alone', 'stemmer', standard, 'exchanges', ['exchang']],
    ['unique', 'unique', standard, 'a b a c b', ['a', 'b', 'c']],
    ['unique, same position', { type: 'unique', only_on_same_position: true }, standard, 'a a b', ['a', 'a', 'b']],
    ['trim', 'trim', keyword, '  uni  ', ['uni']],
    ['edge_ngram', { type: 'edge_ngram', min_gram: 2, max_gram: 4 }, keyword, 'uniswap', ['un', 'uni', 'unis']],
    ['edge_ngram by default', { type: 'edge_ngram' }, keyword, 'uniswap', ['u', 'un']],
    ['edge_ngram by name alone', 'edge_ngram', keyword, 'uniswap', ['u']],
    [
      'edge_ngram, back',
      { type: 'edge_ngram', min_gram: 2, max_gram: 3, side: 'back' },
      keyword,
      'swap',
      ['ap', 'wap'],
    ],
    [
      'edge_ngram, original kept',
      { type: 'edge_ngram', min_gram: 2, max_gram: 3, preserve_original: true },
      keyword,
      'swap',
      ['sw', 'swa', 'swap'],
    ],
    ['ngram', { type: 'ngram', min_gram: 2, max_gram: 3 }, keyword, 'dao', ['da', 'dao', 'ao']],
    [
      'word_delimiter_graph',
      'word_delimiter_graph',
      'whitespace',
      "DeFi-4000 O'Neil's",
      ['De', 'Fi', '4000', 'O', 'Neil'],
    ],
    [
      'word_delimiter_graph, joined',
      { type: 'word_delimiter_graph', catenate_all: true, generate_word_parts: false, generate_number_parts: false },
      keyword,
      'wi-fi-4000',
      ['wifi4000'],
    ],
    [
      'word_delimiter_graph, original kept',
      { type: 'word_delimiter_graph', preserve_original: true },
      keyword,
      'PowerShot',
      ['PowerShot', 'Power', 'Shot'],
    ],
    [
      'word_delimiter_graph, types',
      { type: 'word_delimiter_graph', type_table: ['- => ALPHA'] },
      keyword,
      'wi-fi_x',
      ['wi-fi', 'x'],
    ],
    [
      'word_delimiter_graph, protected',
      { type: 'word_delimiter_graph', protected_words: ['wi-fi'] },
      keyword,
      'wi-fi',
      ['wi-fi'],
    ],
    ['truncate', { type: 'truncate', length: 3 }, keyword, 'uniswap', ['uni']],
    ['truncate by name alone', 'truncate', keyword, 'abcdefghijklm', ['abcdefghij']],
    ['limit', { type: 'limit', max_token_count: 2 }, standard, 'a b c', ['a', 'b']],
    ['reverse', 'reverse', keyword, 'uni', ['inu']],
    ['uppercase', 'uppercase', keyword, 'uni', ['UNI']],
    ['lowercase', 'lowercase', keyword, 'UNI', ['uni']],
    ['stop', { type: 'stop', stopwords: ['the', 'of'] }, standard, 'bank of the west', ['bank', 'west']],
    ['stop by name alone', 'stop', standard, 'bank of the west', ['bank', 'west']],
    [
      'shingle',
      { type: 'shingle', min_shingle_size: 2, max_shingle_size: 2, output_unigrams: false, token_separator: '' },
      standard,
      'de fi llama',
      ['defi', 'fillama'],
    ],
  ])('%s', async (_title, filter, tokenizer, text, expected) => {
    expect(await tokens({ tokenizer, filter: [filter], text })).toEqual(expected);
  });
});

describe('synonyms', () => {
  test('an equal group expands, at the same position', async () => {
    const filter = ['lowercase', { type: 'synonym', synonyms: ['ETH, ether'] }];
    expect(await analyze({ tokenizer: standard, filter, text: 'Ether' })).toEqual([
      expect.objectContaining({ token: 'ether', position: 0 }),
      expect.objectContaining({ token: 'eth', position: 0 }),
    ]);
  });

  test('an arrow replaces, and rules pass through the filters before', async () => {
    const filter = ['lowercase', 'asciifolding', { type: 'synonym', synonyms: ['CAFÉ => coffee house'] }];
    expect(await tokens({ tokenizer: standard, filter, text: 'café' })).toEqual(['coffee', 'house']);
  });

  test('without expansion a group becomes its first word', async () => {
    const filter = [{ type: 'synonym', synonyms: ['vc, venture'], expand: false }];
    expect(await tokens({ tokenizer: standard, filter, text: 'venture' })).toEqual(['vc']);
  });

  test('a graph keeps the positions of several words', async () => {
    const filter = ['lowercase', { type: 'synonym_graph', synonyms: ['dex, decentralized exchange'] }];
    expect(await analyze({ tokenizer: standard, filter, text: 'dex fund' })).toEqual([
      expect.objectContaining({ token: 'decentralized', position: 0 }),
      expect.objectContaining({ token: 'dex', position: 0, positionLength: 2 }),
      expect.objectContaining({ token: 'exchange', position: 1 }),
      expect.objectContaining({ token: 'fund', position: 2 }),
    ]);
  });

  test('flatten_graph makes it indexable', async () => {
    const filter = [{ type: 'synonym_graph', synonyms: ['dex, decentralized exchange'] }, 'flatten_graph'];
    expect(await tokens({ tokenizer: standard, filter, text: 'dex' })).toEqual(['decentralized', 'dex', 'exchange']);
  });

  test('a rule that the chain swallows is an error, or skipped when lenient', async () => {
    const filter = (lenient: boolean): unknown => [
      { type: 'stop', stopwords: ['the'] },
      { type: 'synonym_graph', lenient, synonyms: ['the, article', 'dex, exchange'] },
    ];
    await expect(analyze({ tokenizer: standard, filter: filter(false), text: 'dex' })).rejects.toThrow(/synonym/);
    expect(await tokens({ tokenizer: standard, filter: filter(true), text: 'dex' })).toEqual(['exchange', 'dex']);
  });

  test('one chain of two synonym filters does not feed the first into the second', async () => {
    const filter = [
      { type: 'synonym_graph', synonyms: ['a => b'] },
      { type: 'synonym_graph', synonyms: ['b => c'] },
    ];
    expect(await tokens({ tokenizer: standard, filter, text: 'a' })).toEqual(['c']);
  });

  test('a filter that cuts tokens may not come before one', async () => {
    const filter = [{ type: 'edge_ngram' }, { type: 'synonym', synonyms: ['a, b'] }];
    await expect(analyze({ tokenizer: standard, filter, text: 'a' })).rejects.toThrow(
      /cannot be used to parse synonyms/,
    );
  });
});

describe('tokenizers and char filters', () => {
  test.each<[string, object | string, string, readonly string[]]>([
    ['keyword', 'keyword', 'de fi', ['de fi']],
    ['whitespace', 'whitespace', 'de-fi x', ['de-fi', 'x']],
    ['letter', 'letter', 'de4fi', ['de', 'fi']],
    [
      'char_group',
      { type: 'char_group', tokenize_on_chars: ['punctuation', 'symbol', ' ', '\\u00a0', '\\n'] },
      'de-fi €x\ty\u00a0z\n1',
      ['de', 'fi', 'x\ty', 'z', '1'],
    ],
    [
      'char_group, length',
      { type: 'char_group', tokenize_on_chars: ['digit'], max_token_length: 2 },
      'dao1fi',
      ['da', 'o', 'fi'],
    ],
    ['pattern by default', { type: 'pattern' }, 'de-fi, x', ['de', 'fi', 'x']],
    ['pattern, group', { type: 'pattern', pattern: '"([^"]*)"', group: 1 }, 'say "de fi" x', ['de fi']],
    ['ngram by default', { type: 'ngram' }, 'dao', ['d', 'da', 'a', 'ao', 'o']],
    [
      'edge_ngram, letters',
      { type: 'edge_ngram', min_gram: 2, max_gram: 3, token_chars: ['letter'] },
      'uni 2swap',
      ['un', 'uni', 'sw', 'swa'],
    ],
  ])('tokenizer %s', async (_title, tokenizer, text, expected) => {
    expect(await tokens({ tokenizer, text })).toEqual(expected);
  });

  test.each<[string, object | string, string, string]>([
    ['pattern_replace', { type: 'pattern_replace', pattern: '(\\d+)-(?=\\d)', replacement: '$1_' }, '12-34', '12_34'],
    ['mapping', { type: 'mapping', mappings: ['& => and', '\\u20ac => eur', ':) => '] }, 'a&b€:)', 'aandbeur'],
    ['html_strip', 'html_strip', '<b>uni</b>', 'uni'],
  ])('char filter %s', async (_title, charFilter, text, expected) => {
    expect(await tokens({ tokenizer: keyword, char_filter: [charFilter], text })).toEqual([expected]);
  });
});

test('a normalizer may fold, trim and replace', async () => {
  const request = {
    char_filter: [{ type: 'mapping', mappings: ['& => and'] }],
    filter: ['lowercase', 'asciifolding', 'trim', { type: 'pattern_replace', pattern: '\\s+', replacement: ' ' }],
    text: '  Ångström  & Co ',
  };
  expect(await tokens(request)).toEqual(['angstrom and co']);
});

test('an index with all of it is made, analyses on both sides, and is not made by accident', async () => {
  const analysis = {
    filter: {
      terms: { type: 'synonym_graph', synonyms: ['dex, decentralized exchange'], updateable: true },
      prefixes: { type: 'edge_ngram', min_gram: 1, max_gram: 20 },
    },
    analyzer: {
      names: { tokenizer: 'standard', filter: ['lowercase', 'asciifolding', 'prefixes'] },
      names_query: { tokenizer: 'standard', filter: ['lowercase', 'asciifolding', 'terms'] },
    },
    normalizer: { folded: { type: 'custom', filter: ['lowercase', 'asciifolding', 'trim'] } },
  };
  const properties = {
    name: {
      type: 'text',
      analyzer: 'names',
      search_analyzer: 'names_query',
      fields: { exact: { type: 'keyword', normalizer: 'folded' } },
    },
  };
  await send('DELETE', '/analysis-test?ignore_unavailable=true');
  await send('PUT', '/analysis-test', { settings: { number_of_replicas: 0, analysis }, mappings: { properties } });
  await send('PUT', '/analysis-test/_doc/1?refresh=true', { name: 'Café Décentralisé' });
  const found = async (query: unknown): Promise<unknown> =>
    send('POST', '/analysis-test/_search?filter_path=hits.total.value', { query });
  expect(await found({ match: { name: 'decent' } })).toEqual({ hits: { total: { value: 1 } } });
  expect(await found({ term: { 'name.exact': 'CAFE DECENTRALISE' } })).toEqual({ hits: { total: { value: 1 } } });
  expect(await found({ match: { name: 'dex' } })).toEqual({ hits: { total: { value: 0 } } });
  await expect(send('PUT', '/never-made/_doc/1', { name: 'x' })).rejects.toThrow(/index_not_found/);
  await send('DELETE', '/analysis-test');
});
