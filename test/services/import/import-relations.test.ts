import { forFile } from '../../support/for-file.ts';
import { setImportStage } from '../../support/stages/import.ts';

const stage = await forFile(setImportStage());
beforeEach(() => stage.rows('truncate companies, people, investors, events cascade'));

const entity = (id: number, name: string, more: object = {}) => ({
  id,
  name,
  slug: name.toLowerCase().replaceAll(' ', '-'),
  ...more,
});
const roleOf = (organisation: string, title = 'Engineer') => ({ title, organisation, detail: null });

test('relations are found by name or slug in any order of files, and unknown ones keep their text', async () => {
  stage.files({
    'companies.ndjson': [entity(1, 'Alpha', { investors: ['Late Fund', 'Nobody'] }), entity(2, 'Beta')],
    'investors.ndjson': [
      entity(1, 'Late Fund', {
        portfolio_companies: [
          { name: 'Beta', slug: null },
          { name: 'Was Alpha', slug: 'alpha' },
        ],
      }),
    ],
    'events.ndjson': [entity(1, 'Summit')],
    'people.ndjson': [
      entity(1, 'Ann', {
        roles: [roleOf('alpha'), roleOf('Nowhere')],
        companies: ['beta'],
        events: ['summit', 'gone'],
      }),
    ],
  });
  expect((await stage.import()).code).toBe(0);
  const ids = (table: string, column: string) =>
    stage.value(`select array_agg(${column}::int order by position) from ${table}`);
  expect(await ids('company_investors', 'investor_id')).toEqual([1, null]);
  expect(await ids('investor_portfolio', 'company_id')).toEqual([2, 1]);
  expect(await ids('roles', 'company_id')).toEqual([1, null]);
  expect(await ids('person_companies', 'company_id')).toEqual([2]);
  expect(await ids('event_people', 'event_id')).toEqual([1, null]);
});

test('a reference keeps its entity when that is renamed or its list is reordered', async () => {
  stage.files({
    'companies.ndjson': [entity(1, 'Old Name'), entity(2, 'Beta')],
    'people.ndjson': [entity(1, 'Ann', { roles: [roleOf('Beta'), roleOf('Old Name')] })],
  });
  await stage.import();
  stage.files({
    'companies.ndjson': [entity(1, 'New Name'), entity(2, 'Beta')],
    'people.ndjson': [entity(1, 'Ann', { roles: [roleOf('Old Name', 'Founder')] })],
  });
  await stage.import();
  expect(await stage.rows('select position, title, organisation, company_id::int from roles')).toEqual([
    { position: 0, title: 'Founder', organisation: 'Old Name', company_id: 1 },
  ]);
});

test('a changed relation updates its owner once, and an unchanged one writes and logs nothing', async () => {
  const files = (title: string) => ({
    'companies.ndjson': [entity(1, 'Alpha')],
    'people.ndjson': [
      entity(1, 'Ann', { roles: [roleOf('Alpha', title)], companies: title === 'Chief' ? ['alpha'] : [] }),
      entity(2, 'Bob', { roles: [roleOf('Alpha')] }),
    ],
  });
  stage.files(files('Engineer'));
  await stage.import();
  const before = await stage.rows('select id::int, updated_at::text from people order by id');
  const logged = await stage.value('select max(seq)::int from search_changes');
  stage.files(files('Chief'));
  const run = await stage.import();
  expect(JSON.parse(run.out)[1]).toMatchObject({ kind: 'people', updated: 1, unchanged: 1 });
  const after = await stage.rows('select id::int, updated_at::text from people order by id');
  expect(after[0]).not.toEqual(before[0]);
  expect(after[1]).toEqual(before[1]);
  expect(
    await stage.value(
      `select array_agg(distinct kind || id order by kind || id) from search_changes where seq > ${logged}`,
    ),
  ).toEqual(['companies1', 'people1']);
});

test('an import replaces only the relations that its own side states', async () => {
  stage.files({
    'companies.ndjson': [entity(1, 'Alpha', { investors: ['Fund'] })],
    'investors.ndjson': [entity(1, 'Fund', { portfolio_companies: [{ name: 'Alpha', slug: 'alpha' }] })],
  });
  await stage.import();
  stage.files({ 'companies.ndjson': [entity(1, 'Alpha', { investors: [] })] });
  await stage.import();
  expect(await stage.rows('select asserted_by from investments')).toEqual([{ asserted_by: 'investors' }]);
});

test('--prune removes entities that the files no longer have, of the kinds that have a file', async () => {
  stage.files({
    'companies.ndjson': [entity(1, 'Alpha'), entity(2, 'Beta')],
    'people.ndjson': [entity(1, 'Ann', { roles: [roleOf('Alpha')] })],
  });
  await stage.import();
  stage.files({ 'companies.ndjson': [entity(2, 'Beta')] });
  const run = await stage.import(['--prune']);
  expect(run.code).toBe(0);
  expect(JSON.parse(run.out)).toEqual([expect.objectContaining({ kind: 'companies', pruned: 1, unchanged: 1 })]);
  expect(await stage.rows('select organisation, company_id from roles')).toEqual([
    { organisation: 'Alpha', company_id: null },
  ]);
});

test('a new entity may take the slug of a pruned one', async () => {
  stage.files({ 'companies.ndjson': [entity(1, 'Alpha')] });
  await stage.import();
  stage.files({ 'companies.ndjson': [entity(2, 'Alpha')] });
  expect((await stage.import(['--prune'])).code).toBe(0);
  expect(await stage.rows('select id::int, slug from companies')).toEqual([{ id: 2, slug: 'alpha' }]);
});

test('a kind with a bad line is not pruned, but its good lines are imported', async () => {
  stage.files({ 'companies.ndjson': [entity(1, 'Alpha')], 'events.ndjson': [entity(1, 'Summit')] });
  await stage.import();
  const lines = [entity(2, 'Meetup'), 'no'].map((line) => `${JSON.stringify(line)}\n`).join('');
  stage.files({ 'companies.ndjson': [entity(2, 'Beta')], 'events.ndjson': lines });
  const run = await stage.import(['--prune']);
  expect(run.code).toBe(2);
  expect(run.err).toMatch(/events are not pruned, because 1 line is bad/);
  expect(run.err.match(/^events\.ndjson:2:/gm)).toHaveLength(1);
  expect(await stage.value('select array_agg(id::int order by id) from companies')).toEqual([2]);
  expect(await stage.value('select array_agg(id::int order by id) from events')).toEqual([1, 2]);
});

test('--strict --prune removes nothing if a later file has a bad line', async () => {
  stage.files({ 'companies.ndjson': [entity(1, 'Alpha')], 'events.ndjson': [entity(1, 'Summit')] });
  await stage.import();
  stage.files({ 'companies.ndjson': [entity(2, 'Beta')], 'events.ndjson': 'no\n' });
  expect((await stage.import(['--strict', '--prune'])).code).toBe(3);
  expect(await stage.value('select array_agg(id::int order by id) from companies')).toEqual([1]);
});

test('an empty file prunes nothing', async () => {
  stage.files({ 'companies.ndjson': [entity(1, 'Alpha')] });
  await stage.import();
  stage.files({ 'companies.ndjson': '' });
  const refused = await stage.import(['--prune']);
  expect([refused.code, refused.err]).toEqual([3, expect.stringContaining('companies are not pruned')]);
  expect(await stage.value('select count(*)::int from companies')).toBe(1);
});
