import { forFile } from '../../../support/for-file.ts';
import { setFeaturesStage } from '../../../support/stages/features.ts';

const stage = await forFile(
  setFeaturesStage({
    sql: `
    insert into companies (id, name, slug, tags, country, overview) values
      (1, 'Slate', 'slate', '{lending}', 'United States', 'Loans against collateral.'),
      (2, 'Marl', 'marl', '{lending}', 'Germany', 'Loans with no collateral.'),
      (3, 'Chert', 'chert', '{lending}', null, 'Loans.'),
      (4, 'Tuff', 'tuff', '{dex-aggregator}', null, 'An exchange of exchanges.'),
      (5, 'Karst', 'karst', '{trading}', null, 'An exchange run by a firm.'),
      (6, 'Skarn', 'skarn', '{staking}', null, 'Staking.'),
      (7, 'Gneiss', 'gneiss', '{staking}', null, 'Staking.');
    insert into people (id, name, slug, overview) values
      (1, 'Ada', 'ada', 'Founder of Hornfels, talked at length.'), (2, 'Bo', 'bo', 'Writes about Hornfels.');
    insert into events (id, name, slug, start_date, city, country, is_online, event_types) values
      (1, 'Flint', 'flint', '2025-03-03', 'Berlin', 'Germany', false, '{conference}'),
      (2, 'Agate', 'agate', '2024-03-03', 'Berlin', 'Germany', false, '{hackathon}'),
      (3, 'Opal', 'opal', '2023-03-03', 'Berlin', 'Germany', false, '{}');`,
  }),
);

interface Understood {
  readonly parts: readonly { readonly as: string; readonly met: boolean }[];
  readonly relaxed: readonly string[];
  readonly note: string | null;
}

async function ask(text: string, type: string) {
  const found = await stage.find(`type=${type}&query=${encodeURIComponent(text)}`);
  const understood = found.understood as Understood | null;
  const unmet = understood?.parts.flatMap(({ as, met }) => (met ? [] : [as]));
  return { names: found.results.map(({ name }) => name).toSorted(), unmet, relaxed: understood?.relaxed };
}

describe('A type of event', () => {
  test('is reported as unmet if a result has another type or none', async () => {
    expect(await ask('hackathons in Berlin in 2025', 'all')).toEqual({
      names: ['Flint'],
      unmet: ['kind'],
      relaxed: [],
    });
    expect(await ask('hackathons in Berlin in 2023', 'all')).toEqual({ names: ['Opal'], unmet: ['kind'], relaxed: [] });
    expect(await ask('hackathons in Berlin in 2024', 'all')).toEqual({ names: ['Agate'], unmet: [], relaxed: [] });
  });

  test('ranks matching events first', async () => {
    const found = await stage.find('type=all&query=hackathons%20in%20Berlin');
    expect(found.results.map(({ name }) => name)).toEqual(['Agate', expect.anything(), expect.anything()]);
  });
});

test('A role is reported as unmet if the text of a result only mentions the name', async () => {
  expect(await ask('who founded hornfels', 'people')).toEqual({
    names: ['Ada', 'Bo'],
    unmet: ['relation'],
    relaxed: [],
  });
});

describe('An excluded place', () => {
  test('removes entities with an unknown place', async () => {
    expect(await ask('lending not in the US', 'companies')).toEqual({ names: ['Marl'], unmet: [], relaxed: [] });
  });

  test('is reported as unmet if no place is known', async () => {
    const found = await ask('staking not in the US', 'companies');
    expect(found).toEqual({ names: ['Gneiss', 'Skarn'], unmet: ['without'], relaxed: ['known'] });
  });
});

describe('An excluded topic', () => {
  test('includes narrower ones', async () => {
    expect((await ask('exchanges that are not decentralized', 'companies')).names).toEqual(['Karst']);
  });

  test('may follow "without", and ignores texts that deny the topic', async () => {
    expect((await ask('lending without collateral', 'companies')).names).toEqual(['Chert', 'Marl']);
  });
});
