import { prepareQuery, type SearchQuery, searchBody } from '../../../src/search/query.ts';
import { contentTable, type Pass, rankingClauses } from '../../../src/search/ranking/ranked-query.ts';
import { type TierName, tierTable } from '../../../src/search/ranking/tier-table.ts';
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

  test('of all kinds requests the fields of each kind once', () => {
    const body = bodyOf({ ...query, type: 'all' });
    const { includes } = body._source as { includes: string[] };
    expect(new Set(includes).size).toBe(includes.length);
    expect(includes).toEqual(expect.arrayContaining(['overview', 'headline', 'portfolio_companies', 'start_date']));
  });

  test('never requests the search-only fields', () => {
    const { includes } = bodyOf({ ...query, type: 'all' })._source as {
      includes: string[];
    };
    expect(includes).not.toContain('search');
  });

  test('requires the exact spelling in the strict pass, and adds tiers with typos in the tolerant pass', () => {
    const strict = rankingClauses(rankedText('uniswap', emptyVocabulary), 'strict').tiers;
    const tolerant = rankingClauses(rankedText('uniswap', emptyVocabulary), 'tolerant').tiers;
    expect(JSON.stringify(strict)).not.toContain('fuzziness');
    expect(tolerant).toEqual(expect.arrayContaining([...strict]));
    expect(JSON.stringify(tolerant)).toContain('fuzziness');
  });

  test("with a name and a year ranks that year's edition first, then the others", () => {
    const body = JSON.stringify(bodyOf({ ...query, text: 'Devcon 2024' }));
    expect(body).toContain(
      '{"bool":{"filter":[{"match":{"search.names.joined":"Devcon"}},{"match":{"search.year":"2024"}}]}}',
    );
    for (const text of ['2024', '2023 2024', 'Devcon 24']) {
      expect(JSON.stringify(bodyOf({ ...query, text }))).not.toContain('"match":{"search.year"');
    }
  });

  test("searches content for the vocabulary's tokens, and names for the words as typed", () => {
    const vocabulary = parseVocabulary('dex : decentralized exchange, amm');
    const body = JSON.stringify(bodyOf({ ...query, text: 'decentralized exchanges' }, 'strict', vocabulary));
    expect(body).toContain('"search.names.joined":"decentralized exchanges"');
    expect(body).toContain('{"multi_match":{"query":"dex","type":"cross_fields"');
    expect(body).toContain('{"query":"dex decentralizedexchange amm","analyzer":"stems"}');
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

  test('allows two wrong letters in a short text, or else only in the long words of a longer text', () => {
    const tiers = (text: string) =>
      rankingClauses(rankedText(text, emptyVocabulary), 'tolerant').tiers.map(({ name }) => name);
    expect(tiers('raydum')).not.toContain('fuzzyJoinedTwoEdits');
    expect(tiers('ray dium x')).toContain('fuzzyJoinedTwoEdits');
    expect(tiers('ray dium x')).not.toContain('fuzzyWordsTwoEdits');
    expect(tiers('ray raydiumm')).not.toContain('fuzzyWordsTwoEdits');
    expect(tiers('raydiumm of somebody')).toContain('fuzzyWordsTwoEdits');
    expect(tiers('raydiumm of somebody')).not.toContain('fuzzyJoinedTwoEdits');
    expect(tiers('none of them is long')).not.toContain('fuzzyWordsTwoEdits');
  });

  test('keeps the sure tiers above everything that the others can reach', () => {
    // More than popularity can add in practice.
    const popularityMax = 7;
    const contentMax = 25;
    const names = Object.keys(tierTable) as TierName[];
    const sure = names.filter((name) => tierTable[name].isSure === true);
    const others = names.filter((name) => !sure.includes(name));
    const bonusMax = Object.values(contentTable).reduce((sum, row) => sum + ('points' in row ? row.points : 0), 0);
    expect(Math.min(...sure.map((name) => tierTable[name].points))).toBeGreaterThan(
      Math.max(...others.map((name) => tierTable[name].points)) + contentMax + bonusMax + popularityMax,
    );
  });
});
