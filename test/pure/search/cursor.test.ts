import fc from 'fast-check';
import { splitList } from '../../../src/lib/parameter-schemas.ts';
import { type Cursor, cursorCharactersMax, openCursor, sealCursor } from '../../../src/search/pagination/cursor.ts';
import type { SearchQuery } from '../../../src/search/query.ts';
import { emptyVocabulary, vocabularyOf } from '../../../src/search/vocabulary/vocabulary.ts';

const query: SearchQuery = { type: 'all', text: 'tidal', page: 1, limit: 100 };
const secret = 'a secret of this test';
const cursor: Cursor = {
  pass: 'tolerant',
  page: 2,
  pointInTime: 'p'.repeat(700),
  generations: ['companies-0a1b2c3d-1', 'people-0a1b2c3d-2'],
  after: [203.475_13, null, 'É😀', 9_007_199_254_740_991],
  given: Array.from({ length: 100 }, (_, at) => ['people', Number.MAX_SAFE_INTEGER - at] as const),
};
const sealed = sealCursor(cursor, query, emptyVocabulary, secret);
const open = (text: string, of = query, by = secret) => openCursor(text, of, emptyVocabulary, by);

describe('A cursor', () => {
  test('comes back as it was, whatever it holds', () => {
    expect(open(sealed)).toEqual({ ok: true, cursor });
  });

  test.each(['strict', 'partial', 'tolerant'] as const)('goes on with the %s pass that it began with', (pass) => {
    const text = sealCursor({ ...cursor, pass }, query, emptyVocabulary, secret);
    expect(open(text)).toMatchObject({ ok: true, cursor: { pass } });
  });

  test('of a full page fits well into an address', () => {
    const longName = sealCursor({ ...cursor, after: ['語'.repeat(512)] }, query, emptyVocabulary, secret);
    expect(longName.length).toBeLessThan(cursorCharactersMax);
  });

  test('is another for every query, and no other query takes it', () => {
    const others: SearchQuery[] = [
      { ...query, type: 'people' },
      { ...query, text: 'tidal ' },
      { ...query, limit: 99 },
      { ...query, fields: ['name'] },
      { ...query, filters: { country: ['Portugal'] } },
      { ...query, sort: { by: 'name', reversed: false } },
      { ...query, facets: ['tag'] },
      { ...query, highlight: true },
    ];
    for (const other of others) expect(open(sealed, other)).toEqual({ ok: false, problem: 'invalid' });
    expect(open(sealed, { ...query, page: 7 })).toMatchObject({ ok: true });
  });

  test('sealed elsewhere is invalid', () => {
    expect(open(sealed, query, 'another secret')).toEqual({ ok: false, problem: 'invalid' });
  });

  test('of a release that ranks otherwise has expired', () => {
    const concept = { name: 'tides', token: 'ctides', phrases: ['tidal'], queryPhrases: [], broader: null };
    const otherWords = vocabularyOf([concept]);
    expect(openCursor(sealed, query, otherWords, secret)).toEqual({ ok: false, problem: 'expired' });
  });

  test('with any one letter changed, left out or added is invalid', () => {
    fc.assert(
      fc.property(fc.nat(sealed.length - 1), fc.constantFrom(...'AZaz09-_.%'), fc.nat(2), (at, letter, how) => {
        const changed = sealed.slice(0, at) + (how === 1 ? '' : letter) + sealed.slice(how === 2 ? at : at + 1);
        expect(open(changed).ok).toBe(changed === sealed);
      }),
      { numRuns: 500 },
    );
  });

  test('of any text is refused, never an exception', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string({ unit: 'binary' }), fc.base64String()), (text) => {
        expect(open(text)).toEqual({ ok: false, problem: 'invalid' });
        expect(open(`1${text}`)).toEqual({ ok: false, problem: 'invalid' });
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
