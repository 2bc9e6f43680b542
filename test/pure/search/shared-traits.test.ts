import { kindNames } from '../../../src/kinds/kind.ts';
import { seedOf } from '../../../src/search/ranking/similar.ts';
import { sharedMax, sharedWith, traits } from '../../../src/search/shared-traits.ts';
import { emptyVocabulary, vocabularyOf } from '../../../src/search/vocabulary/vocabulary.ts';

test.each([...kindNames])('%s: every trait by which others are found is named', (kind) => {
  const seed = seedOf(kind, { id: 1, name: 'One' }, null, emptyVocabulary);
  expect(traits[kind].map(({ field }) => field).sort()).toEqual(Object.keys(seed.traits).sort());
});

test('values are compared as the index compares them, and spelled as the entity has them', () => {
  const shared = sharedWith('events', {
    tags: ['DeFi', 'Zürich', 'ﬁnance', 'alone'],
    event_types: ['Conference'],
    ecosystems: [],
    location_json: { city: 'Zürich', country: 'Côte d’Ivoire' },
  });
  expect(
    shared({
      tags: ['other', 'zurich', 'defi', 'finance'],
      event_types: ['hackathon'],
      ecosystems: ['base'],
      location_json: { city: null, country: "Cote d'Ivoire" },
    }),
  ).toEqual({ tags: ['DeFi', 'Zürich', 'ﬁnance'], country: ['Côte d’Ivoire'] });
  expect(shared({ tags: [], location_json: null })).toEqual({});
});

test("investors are named by their names, and companies of investors by the seed's own", () => {
  const company = sharedWith('companies', { investors: ['Fund One', 'Fund Two'], search: { investor_ids: [9, 4] } });
  expect(company({ investors: ['Fund Two', 'Fund Three'], search: { investor_ids: [4, 1] } })).toEqual({
    investors: ['Fund Two'],
  });
  const investor = sharedWith('investors', {
    investor_type: 'fund',
    portfolio_companies: [
      { id: 3, name: 'Quartz', slug: 'quartz' },
      { id: null, name: 'Elsewhere', slug: null },
      { id: 5, name: 'Tidal', slug: 'tidal' },
    ],
  });
  expect(investor({ investor_type: 'Fund', search: { company_ids: [5, 6] } })).toEqual({
    investor_type: ['fund'],
    companies: ['Tidal'],
  });
});

test('no list exceeds its limit', () => {
  const tags = Array.from({ length: 100 }, (_, at) => `tag ${at}`);
  const { tags: listed } = sharedWith('people', { tags })({ tags });
  expect(listed).toEqual(tags.slice(0, sharedMax));
});

test('a malformed document shares nothing', () => {
  const shared = sharedWith('investors', { investment_focus: { a: 1 }, portfolio_companies: 'none' });
  expect(shared({ investment_focus: 'a', search: null })).toEqual({});
});

test('values that are not labels are not compared, because cursors carry the compared values', () => {
  const label = 'l'.repeat(100);
  const tags = [`${label}x`, ...Array.from({ length: 30 }, (_, at) => `${at} ${label}`.slice(0, 100))];
  const seed = seedOf('companies', { id: 1, name: 'One', tags, search: { investor_ids: [7] } }, null, emptyVocabulary);
  expect(seed.traits).toMatchObject({ tags: tags.slice(1, 25), 'search.investor_ids': [7] });
});

test('the subjects of an entity are the concepts in its tags and texts', () => {
  const concept = (token: string, ...phrases: readonly string[]) => ({
    name: token,
    token,
    phrases,
    queryPhrases: [],
    descriptions: [],
    broader: null,
  });
  const vocabulary = vocabularyOf([concept('dex', 'dex', 'swap coins'), concept('oracle', 'oracle')]);
  const source = { id: 1, name: 'One', tags: ['oracle'], overview: 'Where people swap coins' };
  expect(seedOf('companies', source, null, vocabulary).concepts).toEqual(['dex', 'oracle']);
});
