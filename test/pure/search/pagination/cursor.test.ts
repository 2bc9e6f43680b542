import { deflateRawSync } from 'node:zlib';
import fc from 'fast-check';
import { splitList } from '../../../../src/lib/parameter-schemas.ts';
import {
  type Cursor,
  cursorCharactersMax,
  cursorPageBody,
  decodeCursor,
  encodeCursor,
  firstCursor,
} from '../../../../src/search/cursor.ts';
import { noMeaning, nothingRead, prepareQuery, type SearchQuery, searchBody } from '../../../../src/search/query.ts';
import { parseRawResponse } from '../../../../src/search/response.ts';
import { emptyVocabulary, vocabularyOf } from '../../../../src/search/vocabulary/vocabulary.ts';
import { codePoint } from '../../../support/code-point.ts';
import { queryContext } from '../../../support/search/query-context.ts';

const query: SearchQuery = { type: 'all', text: 'tidal', page: 1, limit: 100 };
const secret = 'a secret of this test';
const cursor: Cursor = {
  pass: 'tolerant',
  ranking: 'a hash of 16 letters',
  page: 501,
  pointInTime: 'p'.repeat(700),
  searchAfter: [203.475_13, null, 'É😀', 9_007_199_254_740_991],
  reading: nothingRead,
  meaning: noMeaning,
  shown: {
    'companies-0a1b2c3d-1': [7],
    'people-0a1b2c3d-2': Array.from({ length: 99 }, (_, at) => Number.MAX_SAFE_INTEGER - at),
  },
};
const sealed = encodeCursor(cursor, query, secret);
const open = (text: string, of = query, by = secret) => decodeCursor(text, of, by);

describe('A cursor', () => {
  test('decodes to the same value', () => {
    expect(open(sealed)).toEqual(cursor);
  });

  test('of a full page fits well into a URL', () => {
    const longName = encodeCursor({ ...cursor, searchAfter: ['語'.repeat(512)] }, query, secret);
    expect(longName.length).toBeLessThan(cursorCharactersMax);
  });

  test('belongs to one query, and is invalid for any other', () => {
    const others: SearchQuery[] = [
      { ...query, type: 'people' },
      { ...query, text: 'tidal ' },
      { ...query, limit: 99 },
      { ...query, fields: ['name'] },
      { ...query, filters: { country: ['Portugal'] } },
      { ...query, sort: { by: 'name', reversed: false } },
      { ...query, facets: ['tag'] },
      { ...query, highlight: true },
      { ...query, collapse: 'series' },
    ];
    for (const other of others) expect(open(sealed, other)).toBeNull();
    expect(open(sealed, { ...query, page: 7 })).toEqual(cursor);
  });

  test('encrypted with another secret is invalid', () => {
    expect(open(sealed, query, 'another secret')).toBeNull();
  });

  test('from a release with another ranking gives no page', () => {
    const concept = {
      name: 'tides',
      token: 'ctides',
      phrases: ['tidal'],
      queryPhrases: [],
      descriptions: [],
      broader: null,
    };
    const [prepared, otherwise] = [emptyVocabulary, vocabularyOf([concept])].map((vocabulary) =>
      prepareQuery(query, queryContext(vocabulary)),
    );
    const hits = [{ _index: 'people-0a1b2c3d-2', _source: { id: 1 }, sort: [1] }];
    const raw = parseRawResponse({ timed_out: false, hits: { total: { value: 2 }, hits } });
    if (prepared === undefined || otherwise === undefined || raw === null) throw new Error('nothing to page through');
    const first = firstCursor(prepared, 'strict', raw, searchBody(prepared, 'strict', {}));
    if (first === null) throw new Error('a page follows');
    expect(cursorPageBody(prepared, first)).toMatchObject({ size: 101 });
    expect(cursorPageBody(otherwise, first)).toBeNull();
  });

  test('with any one letter changed, removed or added is invalid', () => {
    fc.assert(
      fc.property(fc.nat(sealed.length - 1), fc.constantFrom(...'AZaz09-_.%'), fc.nat(2), (at, letter, how) => {
        const changed = sealed.slice(0, at) + (how === 1 ? '' : letter) + sealed.slice(how === 2 ? at : at + 1);
        expect(open(changed) !== null).toBe(changed === sealed);
      }),
      { numRuns: 500 },
    );
  });

  test('reveals none of its content', () => {
    for (const pointInTime of [null, 'p'.repeat(700)]) {
      const text = encodeCursor({ ...cursor, pointInTime }, query, secret);
      const bytes = Buffer.from(text.slice(1), 'base64url');
      for (const held of [
        'companies-0a1b2c3d-1',
        'people',
        'a hash of 16',
        'ppp',
        String(Number.MAX_SAFE_INTEGER),
        'tidal',
        '"pass"',
      ])
        expect(bytes.includes(held)).toBe(false);
      // Nor packed: what is sealed does not become shorter.
      expect(deflateRawSync(bytes).length).toBeGreaterThanOrEqual(bytes.length);
    }
  });

  test('is the same for the same content, and shares no nonce with another cursor', () => {
    expect(encodeCursor(cursor, query, secret)).toBe(sealed);
    const nonceOf = (text: string) => text.slice(1, 17);
    const others = [
      ...Array.from({ length: 200 }, (_, page) => encodeCursor({ ...cursor, page: page + 3 }, query, secret)),
      encodeCursor(cursor, { ...query, limit: 99 }, secret),
      encodeCursor(cursor, query, 'another secret'),
    ];
    expect(new Set([sealed, ...others].map(nonceOf)).size).toBe(others.length + 1);
  });

  test('of any text is refused without an exception', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string({ unit: codePoint }), fc.base64String()), (text) => {
        expect(open(text)).toBeNull();
        expect(open(`3${text}`)).toBeNull();
      }),
    );
  });
});

describe('A list', () => {
  test.each<[readonly string[], readonly string[]]>([
    [['a,b'], ['a', 'b']],
    [
      ['a', 'b,c'],
      ['a', 'b', 'c'],
    ],
    [[' a , ,b,'], ['a', 'b']],
    [['Tokyo\\, Japan,Paris'], ['Tokyo, Japan', 'Paris']],
    [['back\\\\slash,b\\c'], ['back\\slash', 'b\\c']],
    [['\\'], ['\\']],
    [[''], []],
  ])('%j is %j', (given, values) => {
    expect(splitList(given)).toEqual(values);
  });
});
