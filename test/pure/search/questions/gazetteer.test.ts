import { createGazetteer } from '../../../../src/search/questions/places/gazetteer.ts';
import { countryCodes, regionCodes } from '../../../../src/search/questions/places/regions.ts';

const none: ReadonlySet<string> = new Set();
const countriesOf = (name: string, known: readonly string[] = []) =>
  createGazetteer(new Set(known), none).find(name)?.countries;

describe('countries', () => {
  test.each([
    ['usa', 'United States'],
    ['the netherlands', 'Netherlands'],
    ['holland', 'Netherlands'],
    ['uk', 'United Kingdom'],
    ['british', 'United Kingdom'],
    ['swiss', 'Switzerland'],
    ['uae', 'United Arab Emirates'],
    ['turkey', 'Türkiye'],
    ['czech republic', 'Czechia'],
    ['hong kong', 'Hong Kong'],
    ['south korean', 'South Korea'],
    ['osterreich', 'Austria'],
    ['日本', 'Japan'],
  ])('"%s" is %s', (name, country) => expect(countriesOf(name)).toEqual([country]));

  test('have states with their largest cities that the data has', () => {
    const { find } = createGazetteer(none, new Set(['Houston', 'St. Paul', 'Berlin']));
    expect(find('texan')).toEqual({ countries: [], cities: ['Houston'] });
    expect(find('minnesota')).toEqual({ countries: [], cities: ['St. Paul'] });
    expect(find('ohio')).toBeNull();
  });

  test('are spelled as in the data', () => {
    expect(countriesOf('usa', ['USA'])).toEqual(['USA']);
    expect(countriesOf('united states', ['USA'])).toEqual(['USA']);
  });

  test('that no list has are known by their own name, unless it contains a footnote', () => {
    expect(countriesOf('atlantis', ['Atlantis', 'Virginia[2]'])).toEqual(['Atlantis']);
    expect(countriesOf('none', ['none'])).toBeUndefined();
    expect(countriesOf('virginia[2]', ['Virginia[2]'])).toBeUndefined();
  });

  test('have no names that are everyday words', () => {
    const words = 'is in it no to me my be at us island maurice on of or and a the may for by as so do go he she we';
    const places = words.split(' ').filter((word) => countriesOf(word) !== undefined);
    expect(places).toEqual(['us']);
  });
});

describe('regions', () => {
  test('consist of those of their countries that are in the data', () => {
    expect(countriesOf('europe', ['Germany', 'Japan', 'France'])).toEqual(
      expect.arrayContaining(['Germany', 'France']),
    );
    expect(countriesOf('europe', ['Germany', 'Japan', 'France'])).toHaveLength(2);
    expect(countriesOf('southeast asia', ['Singapore', 'Japan'])).toEqual(['Singapore']);
    expect(countriesOf('latin american', ['Brazil', 'Mexico', 'Spain'])?.toSorted()).toEqual(['Brazil', 'Mexico']);
    expect(countriesOf('nordics', ['Finland', 'Estonia'])).toEqual(['Finland']);
    expect(countriesOf('eu', ['United Kingdom', 'Portugal'])).toEqual(['Portugal']);
  });

  test('consist of all their countries if none is in the data', () => {
    expect(countriesOf('benelux', ['Japan'])?.toSorted()).toEqual(['Belgium', 'Luxembourg', 'Netherlands']);
  });

  test('contain only existing countries', () => {
    const strangers = [...regionCodes].flatMap(([name, codes]) =>
      codes.filter((code) => !countryCodes.includes(code)).map((code) => [name, code]),
    );
    expect(strangers).toEqual([]);
    expect([...regionCodes].filter(([, codes]) => codes.length === 0)).toEqual([]);
  });
});

describe('cities', () => {
  const cities = new Set([
    'New York City',
    'New York',
    'Zürich',
    'Zurich',
    'St. Louis',
    'Mexico City',
    'Frankfurt am Main',
  ]);
  const { find } = createGazetteer(
    new Set(['Mexico', 'Singapore']),
    new Set([...cities, 'Singapore', 'Oakland', 'San José']),
  );

  test.each([
    ['nyc', ['New York City', 'New York']],
    ['new york', ['New York City', 'New York']],
    ['zurich', ['Zürich', 'Zurich']],
    ['saint louis', ['St. Louis']],
    ['frankfurt', ['Frankfurt am Main']],
    ['bay area', ['Oakland', 'San José']],
  ])('"%s" is %j', (name, expected) => expect(find(name)?.cities.toSorted()).toEqual(expected.toSorted()));

  test('with the name of a state mean both; "Mexico" is not a city', () => {
    expect(find('singapore')).toEqual({ countries: ['Singapore'], cities: ['Singapore'] });
    expect(find('mexico')).toEqual({ countries: ['Mexico'], cities: [] });
    expect(find('mexico city')).toEqual({ countries: [], cities: ['Mexico City'] });
  });
});
