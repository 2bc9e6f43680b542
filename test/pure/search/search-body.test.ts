import { prepareQuery, type SearchQuery, searchBody } from '../../../src/search/query.ts';
import { clauseName, nearVector } from '../../../src/search/ranking/clauses.ts';
import { misspeltNameAmongWordsTiers } from '../../../src/search/ranking/name-among-words.ts';
import { type Pass, partialMatches } from '../../../src/search/ranking/ranked-query.ts';
import { otherTable, type TierName, tierTable } from '../../../src/search/ranking/tier-table.ts';
import { alternatives, strictTiers, tolerantTiers } from '../../../src/search/ranking/tiers.ts';
import { emptyVocabulary, type Vocabulary } from '../../../src/search/vocabulary/vocabulary.ts';
import { parseVocabulary } from '../../../src/search/vocabulary/vocabulary-file.ts';
import { queryContext, rankedText } from '../../support/search/query-context.ts';

function bodyOf(query: SearchQuery, pass: Pass = 'strict', vocabulary: Vocabulary = emptyVocabulary) {
  const prepared = prepareQuery(query, queryContext(vocabulary));
  return searchBody(prepared, pass, { from: 0, size: query.limit });
}

const query = { type: 'companies', text: '', page: 1, limit: 20 } as const;

describe('the body of a search', () => {
  test('without text matches everything, the most prominent first', () => {
    expect(bodyOf({ ...query, limit: 10 })).toEqual({
      from: 0,
      size: 10,
      track_total_hits: true,
      _source: {
        includes: [
          'id',
          'name',
          'slug',
          'logo',
          'overview',
          'total_employees',
          'year_founded',
          'website',
          'tags',
          'location_json',
        ],
      },
      query: { match_all: {} },
      sort: [{ 'search.popularity': 'desc' }, { id: 'asc' }],
    });
  });

  test('of all kinds requests the fields of each kind once, and never the search-only ones', () => {
    const body = bodyOf({ ...query, type: 'all' });
    const { includes } = body._source as { includes: string[] };
    expect(new Set(includes).size).toBe(includes.length);
    expect(includes).toEqual(expect.arrayContaining(['overview', 'headline', 'portfolio_companies', 'start_date']));
    expect(includes).not.toContain('search');
  });

  test('requires the exact spelling in the strict pass, and adds tiers with typos in the tolerant pass', () => {
    const strict = strictTiers(rankedText('uniswap').analyzed);
    const tolerant = tolerantTiers(rankedText('uniswap').analyzed);
    expect(JSON.stringify(strict)).not.toContain('fuzziness');
    expect(tolerant).toEqual(expect.arrayContaining([...strict]));
    expect(JSON.stringify(tolerant)).toContain('fuzziness');
  });

  test("with a name and a year ranks that year's edition first, then the others", () => {
    const body = JSON.stringify(bodyOf({ ...query, text: 'Devcon 2024' }));
    expect(body).toContain(
      '{"bool":{"filter":[{"match":{"search.names.joined":"Devcon"}},{"match":{"search.year":"2024"}}]}}',
    );
    expect(body).toMatch(/"fields":\[[^\]]*"search\.year"/);
    for (const text of ['2024', '2023 2024', 'Devcon 24']) {
      expect(JSON.stringify(bodyOf({ ...query, text }))).not.toContain('"match":{"search.year"');
    }
  });

  test("searches content for the vocabulary's tokens, and names for the words as typed", () => {
    const vocabulary = parseVocabulary('dex : decentralized exchange, amm');
    const body = JSON.stringify(bodyOf({ ...query, text: 'decentralized exchanges' }, 'strict', vocabulary));
    expect(body).toContain('"search.names.joined":"decentralized exchanges"');
    expect(body).toContain('{"multi_match":{"query":"dex","type":"cross_fields"');
    expect(body).toContain('{"search.tags.whole":"dex decentralizedexchange amm"}');
  });

  test("puts the user's text only into values, whatever it contains", () => {
    const text = '{"match_all":{}} name:* AND /x/ "';
    const body = JSON.stringify(bodyOf({ ...query, text }, 'tolerant'));
    expect(body).not.toContain('query_string');
    const without = JSON.stringify(bodyOf({ ...query, text: 'match all name and x' }, 'tolerant'));
    // Once, for labels, in bare words.
    expect(body).toContain('{"search.tags.whole":"match all name and x"}');
    expect(body.split(JSON.stringify(text)).length).toBe(without.split('"match all name and x"').length - 1);
  });

  const having = (tier: TierName, ...texts: readonly string[]) =>
    texts.filter((text) => tolerantTiers(rankedText(text).analyzed).some((one) => one[clauseName] === tier));

  test('allows two wrong letters in a short text, or else only in the long words of a longer text', () => {
    const texts = ['raydum', 'ray dium x', 'ray raydiumm', 'raydiumm of somebody', 'none of them is long'];
    expect(having('fuzzyJoinedTwoEdits', ...texts)).toEqual(['ray dium x', 'ray raydiumm', 'none of them is long']);
    expect(having('fuzzyWordsTwoEdits', ...texts)).toEqual(['raydiumm of somebody']);
  });

  test('has only tiers that the text can match', () => {
    const texts = ['vita buter', 'vita', 'vi buter', 'vita buter one two three'];
    expect(having('wordBeginnings', ...texts)).toEqual(['vita buter']);
    expect(having('proposal', 'aip 42', 'aip')).toEqual(['aip 42']);
    expect(having('nameOfAnotherYear', 'devcon 2024', 'devcon')).toEqual(['devcon 2024']);
    // Elasticsearch needs memory for each letter.
    const letters = (...counts: readonly number[]) => counts.map((count) => 'a'.repeat(count));
    expect(having('fuzzyJoinedOneEdit', ...letters(80, 81))).toEqual(letters(80));
    expect(having('fuzzyWordsOneEdit', ...letters(32, 33))).toEqual(letters(32));
    expect(having('fuzzyWordsTwoEdits', ...letters(32, 33))).toEqual(letters(32));
  });

  test('ranks a match above those of every later tier', () => {
    const points = Object.values(tierTable).map((row) => row.points);
    expect(points).toEqual(points.toSorted((a, b) => b - a));
    expect(points).not.toContain(0);
  });

  test('finds entities with only some of the words or a concept, but not in the strict pass or without a name', () => {
    const vocabulary = parseVocabulary('dex : decentralized exchange, amm');
    const names = (text: string, pass: Pass) =>
      partialMatches(rankedText(text, vocabulary).analyzed, pass).map((one) => one[clauseName]);
    expect(names('dex', 'strict')).toEqual(['city', 'relation']);
    expect(names('dex', 'partial')).toEqual(['words', 'concept', 'city', 'relation']);
    expect(names('dex quartzine', 'partial')).toEqual(['words', 'relation']);
    expect(JSON.stringify(bodyOf({ ...query, text: 'dex' }, 'partial', vocabulary))).not.toContain('"query":""');
  });

  test('never finds what the text excludes', () => {
    const excludes = (text: string) => JSON.stringify(bodyOf({ ...query, text })).includes('"must_not":[{"match":');
    expect(['dex other than curve', 'companies like curve', 'dex'].map(excludes)).toEqual([true, true, false]);
  });

  test('compares meanings within the filter, and lets other matches be less near', () => {
    const filter = [{ match_all: {} }];
    const near = (similarityMin: number) =>
      nearVector({ field: 'v', vector: '7f', filter, points: 300, similarityMin }, { match_none: {} });
    const knn = (similarity: number, ...more: readonly object[]) => ({
      knn: expect.objectContaining({ similarity, filter: [...filter, ...more], boost: 300 }),
    });
    expect(near(0.5)).toEqual({ dis_max: { queries: [knn(0.5), knn(0.4, { match_none: {} })] } });
  });

  test('gives a name with one wrong letter the points of a misspelt name, fewer if the word may be another', () => {
    const points = (text: string, isLikely: boolean) =>
      misspeltNameAmongWordsTiers([{ text, isLikely }], 'dex').map((clause) => {
        const [, boost] = /"boost":([\d.]+)/.exec(JSON.stringify(clause)) ?? [];
        return 'match' in clause ? Math.round(Number(boost) * (1 - 1 / text.length)) : Number(boost);
      });
    expect(points('unswap', true)).toEqual([58, 30, 79.2, tierTable.misspeltNameAmongWords.points]);
    expect(points('unswap', false)).toEqual([33]);
    const fuzziness = (text: string) =>
      /"fuzziness":"(\d)"[^}]*"boost"/.exec(
        JSON.stringify(misspeltNameAmongWordsTiers([{ text, isLikely: false }], '')),
      )?.[1];
    expect(['uniswap', 'uniswaps'].map(fuzziness)).toEqual(['1', '2']);
  });

  test('keeps the sure tiers above everything that the others can reach', () => {
    // More than popularity can add in practice.
    const popularityMax = 7;
    const contentMax = 25;
    const names = Object.keys(tierTable) as TierName[];
    const sure = names.filter((name) => tierTable[name].isSure === true);
    const others = names.filter((name) => !sure.includes(name));
    const bonusMax = Object.values(otherTable).reduce((sum, row) => sum + ('points' in row ? row.points : 0), 0);
    expect(Math.min(...sure.map((name) => tierTable[name].points))).toBeGreaterThan(
      Math.max(...others.map((name) => tierTable[name].points)) + contentMax + bonusMax + popularityMax,
    );
  });
});

test.each([
  ['dex on eos', ['dex on eos']],
  ['dex on eos or tron or base app', ['dex on eos app', 'dex on tron app', 'dex on base app']],
  ['eos or', ['eos or']],
])('One of the words around "or" is enough: %s', (text, texts) => expect(alternatives(text)).toEqual(texts));
