import { createHash } from 'node:crypto';
import { vectorBytes } from '../../../../src/lib/vector-bytes.ts';
import {
  type Cursor,
  cursorCharactersMax,
  cursorPageBody,
  decodeCursor,
  encodeCursor,
  firstCursor,
} from '../../../../src/search/cursor.ts';
import {
  type Meaning,
  noMeaning,
  nothingRead,
  prepareQuery,
  type SearchQuery,
  searchBody,
} from '../../../../src/search/query.ts';
import { createKnowledge } from '../../../../src/search/questions/knowledge.ts';
import { parseRawResponse } from '../../../../src/search/response.ts';
import { wordVector } from '../../../support/embeddings/word-vectors.ts';
import { now } from '../../../support/search/knowledge.ts';
import { queryContext } from '../../../support/search/query-context.ts';

// A cursor carries the reading and the vector of a text, so that all pages belong to one list, even if the data or the
// provider of vectors has changed since.

const secret = 'a secret of this test';
const letters = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZ'];
const codes = letters.flatMap((one) => letters.map((other) => one + other));
const displayed = new Intl.DisplayNames('en', { type: 'region', fallback: 'none' });
/** Every country of the world, so that a region is as long as it can be. */
const world = createKnowledge({
  countries: new Set(codes.flatMap((code) => displayed.of(code) ?? [])),
  cities: new Set(['Lisbon']),
  topics: new Set(['staking', 'wallet']),
  ecosystems: new Set(),
});
const query: SearchQuery = {
  type: 'companies',
  text: 'unswap staking wallets in europe, asia, africa or latin america founded after 2020 other than ledger',
  page: 1,
  limit: 100,
};
const { reading } = prepareQuery(query, { ...queryContext(), knowledge: world, now });

function hexOf(dimension: number, text = query.text): string {
  return Buffer.from(vectorBytes(wordVector(text, dimension))).toString('hex');
}

function textMeaning(dimension: number): Meaning {
  const near = (count: number, long: string) =>
    Array.from({ length: count }, (_, at) => ({ term: `${long}-${at}`, weight: 1.43 }));
  return {
    vectorField: 'vector_0a1b2c3d',
    text: { vector: hexOf(dimension), concepts: near(3, 'cdecentralisedexchange'), similarityMin: 0.585 },
    seed: null,
  };
}

function seedMeaning(dimension: number): Meaning {
  const tags = Array.from(
    { length: 24 },
    (_, at) => `a-tag-of-usual-length-${createHash('md5').update(`${at}`).digest('hex').slice(0, 4)}`,
  );
  const traits = { tags, ecosystems: tags.slice(0, 12), 'search.investor_ids': tags.map((_, at) => 90_071 * (at + 1)) };
  const seed = {
    kind: 'companies' as const,
    id: 7,
    name: 'Ledger of Ledgers',
    traits,
    concepts: tags,
    words: 'ledgers '.repeat(50),
    vector: hexOf(dimension),
  };
  return { vectorField: 'vector_0a1b2c3d', text: null, seed };
}

/** As long as each of its parts gets; the point in time is as the engine makes it for four indices. */
function fullCursor(meaning: Meaning): Cursor {
  const random = (length: number) =>
    Array.from({ length: Math.ceil(length / 43) }, (_, at) => createHash('sha256').update(`${at}`).digest('base64url'))
      .join('')
      .slice(0, length);
  return {
    pass: meaning.seed === null ? 'semantic' : 'similar',
    ranking: random(16),
    page: 2,
    pointInTime: random(700),
    searchAfter: [203.475_13, 'companies', 9_007_199],
    reading,
    meaning,
    shown: { 'people-0a1b2c3d-2': Array.from({ length: 100 }, (_, at) => 1_234_567 + at * 7_919) },
  };
}

describe.each([
  ['of a text', textMeaning],
  ['of an entity', seedMeaning],
] as const)('A cursor with the vector %s', (_, meaningOf) => {
  test.each([8, 384, 1_536, 4_096])('of %d numbers decodes unchanged and fits into a URL', (dimension) => {
    const cursor = fullCursor(meaningOf(dimension));
    const sealed = encodeCursor(cursor, query, secret);
    expect(decodeCursor(sealed, query, secret)).toEqual(cursor);
    expect(sealed.length).toBeLessThan(cursorCharactersMax * 0.9);
    if (dimension <= 384) expect(sealed.length).toBeLessThan(cursorCharactersMax / 2);
  });
});

test('A cursor for a plain text has neither a question nor a vector, and is short', () => {
  const plain: Cursor = {
    ...fullCursor(noMeaning),
    reading: nothingRead,
    pass: 'strict',
    shown: {},
    pointInTime: null,
  };
  expect(encodeCursor(plain, query, secret).length).toBeLessThan(350);
});

describe('The next page', () => {
  const raw = parseRawResponse({
    timed_out: false,
    hits: { total: { value: 2 }, hits: [{ _index: 'companies-0a1b2c3d-2', _source: { id: 1 }, sort: [1] }] },
  });

  /** The cursor after the first page, as a client returns it. */
  function broughtBack(meaning: Meaning, pass: 'semantic' | 'similar'): Cursor {
    const prepared = prepareQuery(query, { ...queryContext(), knowledge: world, now }, { reading, meaning });
    const cursor = raw === null ? null : firstCursor(prepared, pass, raw, searchBody(prepared, pass, {}));
    const opened = cursor === null ? null : decodeCursor(encodeCursor(cursor, query, secret), query, secret);
    if (opened === null) throw new Error('a page follows');
    return opened;
  }

  test.each([
    ['semantic', textMeaning(384)],
    ['similar', seedMeaning(384)],
  ] as const)('is the %s one, even if the indices no longer know the words and a year has passed', (pass, meaning) => {
    const cursor = broughtBack(meaning, pass);
    const later = prepareQuery(query, { ...queryContext(), now: new Date('2028-01-01') }, cursor);
    const body = cursorPageBody(later, cursor);
    expect(JSON.stringify(body)).toContain(hexOf(384));
    expect(body).toMatchObject({ size: 101 });
  });

  test('would differ if the text were parsed again', () => {
    const cursor = broughtBack(textMeaning(384), 'semantic');
    const again = prepareQuery(query, queryContext());
    expect(cursorPageBody({ ...again, meaning: cursor.meaning }, cursor)).toBeNull();
  });
});
