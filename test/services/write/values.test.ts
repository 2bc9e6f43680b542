import { entitySearch } from '../../../dev/lib/command-line.ts';
import { type KindName, kindNames } from '../../../src/kinds/kind.ts';
import { kinds } from '../../../src/kinds/registry.ts';
import { selectBodies } from '../../../src/kinds/sql.ts';
import { forFile } from '../../support/for-file.ts';
import { setReindexStage } from '../../support/stages/reindex.ts';

// Values that Postgres holds and documents can't show: refused where they are written, and shown as null if an older
// row has one.

const stage = await forFile(setReindexStage());
await stage.pool.query(`insert into events (id, name, slug) values (1, 'E', 'e')`);

const nested = `'{{a,b},{c,null}}'`;
const times = ['updated_at', 'created_at'].flatMap((column) =>
  [`'infinity'`, `'-infinity'`, `'0044-03-15 BC'`, `'12026-01-01'`].map((value) => [column, value] as const),
);
const dates = [`'infinity'`, `'-infinity'`, `'0044-03-15 BC'`, `'12026-01-01'`];
const everyKind = [...times, ['links', `'{"site": "https://a.example", "b": {"c": 1}, "d": null}'`]] as const;

const poison: Readonly<Record<KindName, readonly (readonly [column: string, value: string])[]>> = {
  companies: [
    ...everyKind,
    ...dates.map((value) => ['founded_date', value] as const),
    ...['tags', 'aliases', 'former_names', 'tickers', 'ecosystems'].map((column) => [column, nested] as const),
    ['tags', `'{a,null}'`],
    ['total_funding_usd', `'NaN'`],
  ],
  people: [...everyKind, ...['proposals', 'tags', 'aliases'].map((column) => [column, nested] as const)],
  investors: [
    ...everyKind,
    ...['investment_focus', 'investment_stages', 'aliases'].map((column) => [column, nested] as const),
  ],
  events: [
    ...everyKind,
    ...dates.flatMap((value) => [['start_date', value] as const, ['end_date', value] as const]),
    ...['event_types', 'tags', 'ecosystems'].map((column) => [column, nested] as const),
  ],
};
const positions = ['roles', 'company_investors', 'investor_portfolio', 'person_companies', 'event_people'];

test.each(kindNames)(
  '%s: a value that a document cannot show is refused by the table, and the column named',
  async (kind) => {
    for (const [column, value] of poison[kind]) {
      const written = stage.pool.query(`update ${kind} set ${column} = ${value} where id = 1`);
      await expect(written).rejects.toMatchObject({ code: '23514', constraint: expect.stringContaining(column) });
    }
  },
);

test.each(positions)('%s: positions have an upper bound, so that arithmetic cannot overflow', async (table) => {
  const { rows } = await stage.pool.query<{ constraint: string }>(
    `select pg_get_constraintdef(oid) as constraint from pg_constraint where conname = $1`,
    [`${table}_position_bounded`],
  );
  expect(rows[0]?.constraint).toContain('2146483647');
});

test('rows from before the constraints each have a valid record and document, which Elasticsearch accepts', async () => {
  await stage.pool.query(`
    do $$ declare c record; begin
      for c in select conrelid::regclass as name, conname from pg_constraint
               where contype = 'c' and conrelid::regclass::text = any(array['companies','people','investors','events','investor_portfolio','company_investors'])
                 and not convalidated
      loop execute format('alter table %s drop constraint %I', c.name, c.conname); end loop;
    end $$`);
  for (const kind of kindNames) {
    for (const [at, [column, value]] of poison[kind].entries()) {
      const id = 100_000 + at;
      await stage.pool.query(
        `insert into ${kind} (id, name, slug, ${column}) values (${id}, 'Old', 'old-${id}', ${value})`,
      );
    }
  }
  await stage.pool.query(`
    insert into company_investors (company_id, position, investor_name) values (1, 2147483647, 'Last Fund');
    insert into investor_portfolio (investor_id, position, company_name) values (1, 2147483647, 'Last Company')`);
  for (const kind of kindNames) {
    for (const body of ['record', 'document'] as const) {
      const { rows } = await stage.pool.query<{ id: number; body: string }>(selectBodies(kinds[kind].sql, body, ''));
      const shown = kinds[kind][body];
      const refused = rows.filter((row) => !shown.safeParse(JSON.parse(row.body)).success).map(({ id }) => id);
      expect([kind, body, refused]).toEqual([kind, body, []]);
    }
  }
  const [first] = await stage.run();
  expect(first?.reindex).toMatchObject({ state: 'live', counts: { deadLetters: 0 } });
  const others = await stage.run({ kinds: ['people', 'investors', 'events'] });
  expect(others.map(({ reindex }) => [reindex.state, reindex.counts.deadLetters])).toEqual([
    ['live', 0],
    ['live', 0],
    ['live', 0],
  ]);
  expect((await entitySearch(['verify', '--deep'], stage.env)).code).toBe(0);
});
