import { kindNames } from '../../../src/kinds/kind.ts';
import { kinds } from '../../../src/kinds/registry.ts';
import { forFile } from '../../support/for-file.ts';
import { setFeaturesStage } from '../../support/stages/features.ts';

const stage = await forFile(
  setFeaturesStage({
    sql: `
    insert into companies (id, name, slug, tagline, overview, tags, city, country, aliases) values
      (1, 'Quartz <b>Ledger</b>', 'quartz-ledger', 'Books & ledgers for "everyone"',
       'Keeps the ledger of ' || repeat('many words that say little about it. ', 40) || 'The ledger closes <script>.',
       '{Ledgers}', 'Lisbon', 'Portugal', '{Kwarz}'),
      (2, 'Tidal Swap', 'tidal-swap', null, 'A dex for tides.', '{DEX}', null, null, '{}');
    insert into people (id, name, slug, headline) values (1, 'Quartz Person', 'quartz-person', 'Founder of ledgers');
    insert into investors (id, name, slug) values (1, 'Quartz Capital', 'quartz-capital');
    insert into events (id, name, slug, start_date) values (1, 'Quartz Day', 'quartz-day', '2030-02-03');`,
  }),
);

describe('highlight=true', () => {
  test('marks matches in an item with <em>, and escapes everything else', async () => {
    const { results } = await stage.find('type=companies&query=quartz%20ledger&highlight=true');
    expect(results[0]?.highlight).toEqual({
      names: ['<em>Quartz</em> &lt;b&gt;<em>Ledger</em>&lt;&#x2F;b&gt;'],
      overview: [
        expect.stringContaining('<em>ledger</em>'),
        expect.stringContaining('<em>ledger</em> closes &lt;script&gt;'),
      ],
      short: ['Books &amp; <em>ledgers</em> for &quot;everyone&quot;'],
      tags: ['<em>Ledgers</em>'],
    });
  });

  test('marks guessed spellings and prefixes, too', async () => {
    const misspelt = await stage.find('type=companies&query=qartz%20ledgr&highlight=true');
    expect(misspelt.matchedBy).toBe('tolerant');
    expect(misspelt.results[0]?.highlight).toMatchObject({ names: [expect.stringContaining('<em>Quartz</em>')] });
    const begun = await stage.find('type=companies&query=quar&highlight=true');
    expect(begun.results[0]?.highlight).toMatchObject({ names: [expect.stringContaining('<em>Quartz</em>')] });
  });

  test('marks the meaning of a phrase of the vocabulary', async () => {
    const { results } = await stage.find('type=companies&query=decentralized%20exchange&highlight=true');
    expect(results[0]).toMatchObject({ id: 2, highlight: { tags: ['<em>DEX</em>'] } });
  });

  test('is empty without a query, and absent unless requested', async () => {
    const { results } = await stage.find('type=all&highlight=true');
    expect(results.map((item) => item.highlight)).toEqual(results.map(() => ({})));
    expect((await stage.find('type=all&query=quartz')).results[0]).not.toHaveProperty('highlight');
  });
});

describe('fields=', () => {
  test.each(kindNames)('%s: every field of a record is available, with the value in Postgres', async (kind) => {
    const fields = Object.keys(kinds[kind].record.shape);
    const { results } = await stage.find(`type=${kind}&fields=${fields.join(',')}&sort=name`);
    const records = [...(await stage.records(kind))].sort((a, b) => (String(a.name) < String(b.name) ? -1 : 1));
    expect(results).toEqual(records);
  });

  test('always returns id and entity_type, and other fields only if requested', async () => {
    const { results } = await stage.find('type=companies&query=quartz&fields=updated_at,name');
    expect(results[0]).toEqual({
      entity_type: 'companies',
      id: 1,
      updated_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      name: 'Quartz <b>Ledger</b>',
    });
  });

  test('for all kinds returns those that the kind has', async () => {
    const { results } = await stage.find('type=all&query=quartz&fields=start_date,headline');
    const shown = Object.fromEntries(results.map(({ entity_type, ...rest }) => [entity_type, rest]));
    expect(shown).toEqual({
      companies: { id: 1 },
      people: { id: 1, headline: 'Founder of ledgers' },
      investors: { id: 1 },
      events: { id: 1, start_date: '2030-02-03' },
    });
  });
});
