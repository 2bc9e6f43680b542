import { explainBody, hitLines, parseExplained, understandingLines } from '../../../src/search/ranking/explain.ts';
import { rankedQuery } from '../../../src/search/ranking/ranked-query.ts';
import { emptyVocabulary } from '../../../src/search/vocabulary/vocabulary.ts';
import { parseVocabulary } from '../../../src/search/vocabulary/vocabulary-file.ts';
import { preparedQuery, rankedText } from '../../support/search/query-context.ts';

const vocabulary = parseVocabulary('dex : decentralized exchange');

test('the explained body is the ranked one with every clause named', () => {
  const { query } = explainBody(preparedQuery('uniswap'), 'strict', 3);
  expect(JSON.stringify(query)).toMatch(/"_name":"exactName \d+"/);
  expect(JSON.stringify(query)).toMatch(/"_name":"content \d+"/);
  expect(JSON.stringify(rankedQuery(rankedText('uniswap', emptyVocabulary), 'tolerant'))).not.toContain('_name');
});

test('the interpretation of a text is shown if it differs from the text', () => {
  expect(understandingLines(rankedText('uniswap', vocabulary))).toHaveLength(1);
  expect(understandingLines(rankedText('decentralized exchanges 2021', vocabulary)).join('\n')).toMatch(
    /dex 2021[\s\S]*decentralized exchanges \| 2021/,
  );
});

test('a hit is explained by its best tier, the added points and its distance to the next hit', () => {
  const hit = (id: number, score: number, matched: Readonly<Record<string, number>>) => ({
    _index: 'companies-0a1b2c3d-1',
    _score: score,
    _source: { id, name: `No. ${id}`, search: { popularity: 9 } },
    matched_queries: matched,
  });
  const lines = hitLines(
    parseExplained({
      hits: {
        total: { value: 2 },
        max_score: 203,
        hits: [
          hit(1, 203, { 'exactName 1': 200, 'namePhrase 2': 60, 'namePhrase 3': 6, 'content 4': 9 }),
          hit(2, 72, { namePhrase: 60, content: 9 }),
        ],
      },
    }),
  ).join('\n');
  expect(lines).toContain('1. No. 1  (companies 1): 203.0 points');
  expect(lines).toContain('+200.0 exactName: its name is exactly this text');
  expect(lines).toContain('only the best tier counts: namePhrase (66)');
  expect(lines).toContain('131.0 points before the next one');
  // Contents are added to the second only: the first is named already.
  expect(lines.match(/content:/g)).toHaveLength(1);
});
