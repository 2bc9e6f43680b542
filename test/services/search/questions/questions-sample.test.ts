import { forFile } from '../../../support/for-file.ts';
import { type Found, type Item, setSampleStage } from '../../../support/stages/features.ts';

// Questions, and brands among other words, on the fictional sample and without any vectors. Expected answers come from
// the entities in Postgres.

let companies: readonly Item[];
let people: readonly Item[];
let events: readonly Item[];
const stage = await forFile(setSampleStage());
[companies, people, events] = await Promise.all([
  stage.records('companies'),
  stage.records('people'),
  stage.records('events'),
]);

const ask = (text: string, type = 'all', more = ''): Promise<Found> =>
  stage.find(`type=${type}&query=${encodeURIComponent(text)}${more}`);
const namesOf = ({ results }: Found) => results.map(({ name }) => name);
const placeOf = ({ location_json: place }: Item) => place as { readonly city: string; readonly country: string } | null;
const textsOf = (item: Item | undefined, field: string): readonly string[] =>
  (item?.[field] ?? []) as readonly string[];

describe('A question for a kind and a place', () => {
  test('lists companies of that place first, even if events there contain the words', async () => {
    const found = await ask('staking startups in Amsterdam');
    expect(found.understood).toMatchObject({
      kinds: ['companies'],
      words: 'staking',
      places: [{ cities: ['Amsterdam'] }],
    });
    const wanted = companies.filter((one) => placeOf(one)?.city === 'Amsterdam');
    const [first] = found.results;
    expect(first?.entity_type).toBe('companies');
    expect(wanted.map(({ id }) => id)).toContain(first?.id);
    expect(textsOf(first, 'tags').join(' ')).toMatch(/staking|validators/);
  });

  test('for a region finds those of all its countries', async () => {
    const found = await ask('hackathons in europe', 'all', '&limit=20');
    expect(found.understood).toMatchObject({ kinds: ['events'], places: [{ text: 'europe' }] });
    const first = found.results.slice(0, 5);
    expect(first.map(({ entity_type }) => entity_type)).toEqual(Array(5).fill('events'));
    const countries = new Set(first.map((one) => placeOf(one)?.country));
    const { places } = found.understood as { readonly places: readonly { readonly countries: readonly string[] }[] };
    const inEurope = places.flatMap((place) => place.countries);
    expect(inEurope).toEqual(expect.arrayContaining(['Portugal', 'Poland', 'Netherlands']));
    expect([...countries].filter((country) => !inEurope.includes(country ?? ''))).toEqual([]);
  });
});

describe('A question for a time', () => {
  test('finds all events of that year and no others', async () => {
    const found = await ask('hackathons in 2024', 'all', '&limit=100');
    expect(found.results[0]?.entity_type).toBe('events');
    const wanted = events.filter(
      (one) => String(one.start_date).startsWith('2024') && textsOf(one, 'event_types').includes('hackathon'),
    );
    expect(wanted.length).toBeGreaterThan(2);
    const first = found.results.slice(0, wanted.length).map(({ id }) => id);
    expect(first.toSorted()).toEqual(wanted.map(({ id }) => id).toSorted());
  });

  test('of founding finds companies founded then', async () => {
    const found = await ask('staking companies founded after 2020', 'all', '&limit=10');
    expect(found.understood).toMatchObject({ time: { about: 'founded', from: '2021-01-01' } });
    const years = found.results.slice(0, 5).map(({ year_founded: year }) => year);
    expect(years.filter((year) => typeof year !== 'number' || year < 2021)).toEqual([]);
  });
});

describe('A question for a relation', () => {
  test('finds who founded a company first', async () => {
    const founders = people.filter(({ headline }) => String(headline).startsWith('Founder at ')).slice(0, 12);
    expect(founders.length).toBe(12);
    const missed: string[] = [];
    for (const { name, headline } of founders) {
      const company = String(headline).slice('Founder at '.length);
      const own = companies.filter((one) => one.name === company);
      // Some companies are there twice under one name.
      if (own.length !== 1) continue;
      for (const text of [`who founded ${company}`, `founder of ${company}`]) {
        if (
          !namesOf(await ask(text))
            .slice(0, 3)
            .includes(name)
        )
          missed.push(`${text}: ${name}`);
      }
    }
    expect(missed).toEqual([]);
  });

  test('finds what an investor holds', async () => {
    const [fund] = await stage.records('investors');
    const portfolio = (fund?.portfolio_companies ?? []) as readonly { readonly name: string }[];
    const found = await ask(`portfolio of ${String(fund?.name)}`, 'all', '&limit=5');
    expect(found.results.map(({ entity_type }) => entity_type)).toEqual(Array(5).fill('companies'));
    for (const name of namesOf(found)) expect(portfolio.map((one) => one.name)).toContain(name);
  });

  test('finds all who invested in the same companies, and no others', async () => {
    const [fund, ...others] = await stage.records('investors');
    const heldBy = (one: Item | undefined) => (one?.portfolio_companies ?? []) as readonly { readonly id: number }[];
    const own = new Set(heldBy(fund).map(({ id }) => id));
    const wanted = others.filter((one) => heldBy(one).some(({ id }) => own.has(id)));
    const found = await ask(`who co-invests with ${String(fund?.name)}`, 'all', '&limit=100');
    expect(wanted.length).toBeGreaterThan(1);
    expect(namesOf(found).toSorted()).toEqual(wanted.map(({ name }) => name).toSorted());
  });
});

describe('A brand with other words', () => {
  /** Names of one word that no other company's name begins or frames like, with two letters that changed places. */
  function misspelt() {
    const looks = companies.map(({ name }) => String(name).toLowerCase().split(' ')[0] ?? '');
    const isAlone = (name: string) =>
      looks.filter(
        (other) =>
          other.startsWith(name.slice(0, 5)) || (other.startsWith(name.slice(0, 2)) && other.endsWith(name.slice(-3))),
      ).length === 1;
    const single = companies.filter(
      ({ name }) => /^[A-Z][a-z]{6,}$/.test(String(name)) && isAlone(String(name).toLowerCase()),
    );
    return single.slice(0, 20).map(({ id, name }) => {
      const letters = [...String(name).toLowerCase()];
      const [third = '', fourth = ''] = letters.slice(2, 4);
      letters.splice(2, 2, fourth, third);
      return { id, name: String(name).toLowerCase(), slip: letters.join('') };
    });
  }

  test.each([
    ['written as it is', (name: string, _slip: string) => `${name} wallet`],
    ['misspelt', (_name: string, slip: string) => `${slip} wallet`],
    ['misspelt, before two words', (_name: string, slip: string) => `${slip} dex exchange`],
    ['misspelt, after others', (_name: string, slip: string) => `crypto exchange ${slip}`],
    ['misspelt next to a misspelt word', (_name: string, slip: string) => `${slip} walet app`],
  ])('%s is first', async (_, textOf) => {
    const brands = misspelt();
    expect(brands.length).toBeGreaterThan(8);
    const missed: string[] = [];
    for (const { id, name, slip } of brands) {
      const text = textOf(name, slip);
      const found = await ask(text, 'companies', '&limit=3');
      if (found.results[0]?.id !== id) missed.push(`${text}: ${namesOf(found).join(', ')}`);
    }
    expect(missed).toEqual([]);
  });
});

describe('A literal search', () => {
  test('treats a question as words, and interprets nothing', async () => {
    const text = 'staking startups in Amsterdam';
    const [read, literal] = [await ask(text), await ask(text, 'all', '&literal=true')];
    expect([read.understood === null, literal.understood]).toEqual([false, null]);
    expect(literal.totalResults).toBeGreaterThan(0);
  });

  test('a name that resembles a question is found with and without interpretation', async () => {
    const [event] = events.filter(({ name }) => /\d{4}$/.test(String(name)));
    const text = String(event?.name);
    for (const more of ['', '&literal=true']) {
      const found = await ask(text, 'events', more);
      expect([more, found.results[0]?.name]).toEqual([more, text]);
    }
  });
});
