import pg from 'pg';
import type { KindName } from '../../../src/kinds/kind.ts';
import { createPlanOffer } from '../../../src/postgres/account/plan-offer.ts';
import { createEntityStore } from '../../../src/postgres/records.ts';
import { handClock } from '../../support/api/in-process.ts';
import { createTestDatabase } from '../../support/engines/database.ts';
import { testPool } from '../../support/engines/pool.ts';
import { addRoles, asRole } from '../../support/engines/service-roles.ts';
import { closedAfterFile, forFile } from '../../support/for-file.ts';
import { until } from '../../support/until.ts';

// Reads of the pages in addition to records, with the rights of the API's own role.

const database = await forFile(createTestDatabase());
await addRoles(database.url);
const owner = await closedAfterFile(new pg.Pool({ connectionString: database.url, max: 1 }), (opened) => opened.end());
const pool = await closedAfterFile(testPool(asRole(database.url, 'api'), 1), (opened) => opened.end());
await owner.query(`
  insert into companies (id, name, slug) values (1, 'Quartz Ledger', 'quartz-ledger'), (2, 'Alone', 'alone');
  insert into investors (id, name, slug) values (1, 'Zeta Fund', 'zeta'), (2, 'Alpha Fund', 'alpha');
  insert into events (id, name, slug, start_date) values
    (1, 'Early', 'early', '2024-01-01'), (2, 'Late', 'late', '2026-01-01'), (3, 'Undated', 'undated', null);
  insert into people (id, name, slug) select n, 'Person ' || lpad(n::text, 2, '0'), 'person-' || n from generate_series(1, 30) as n;
  insert into roles (person_id, position, title, company_id) select n, 0, 'Engineer', 1 from generate_series(1, 20) as n;
  insert into person_companies (person_id, position, company_slug, company_id)
    select n, 0, 'quartz-ledger', 1 from generate_series(15, 28) as n;
  insert into event_people (person_id, position, event_slug, event_id) values
    (30, 0, 'early', 1), (30, 1, 'late', 2), (30, 2, 'undated', 3), (30, 3, 'elsewhere', null), (29, 0, 'late', 2);
  insert into company_investors (company_id, position, investor_name, investor_id) values
    (1, 0, 'Zeta Fund', 1), (1, 1, 'Unknown Fund', null);
  insert into investor_portfolio (investor_id, position, company_name, company_id) values
    (2, 0, 'Quartz Ledger', 1), (1, 0, 'Quartz Ledger', 1);
`);

async function related(kind: KindName, id: number, limit = 100): Promise<readonly string[]> {
  const found = await createEntityStore(pool, 5_000).related(kind, id, limit);
  if (!found.ok) throw new Error('Postgres did not answer', { cause: found.cause });
  return found.value.map(({ kind: other, id: otherId, name, slug, date }) =>
    [other, otherId, name, slug, ...(date === null ? [] : [date])].join(' '),
  );
}

test('a company is related to its people, each once regardless of roles, and to its investors', async () => {
  const found = await related('companies', 1);
  expect(found.filter((line) => line.startsWith('people'))).toHaveLength(28);
  expect(found[0]).toBe('people 1 Person 01 person-1');
  expect(found.slice(28)).toEqual(['investors 2 Alpha Fund alpha', 'investors 1 Zeta Fund zeta']);
});

test('at most the requested number of each kind is read', async () => {
  const found = await related('companies', 1, 1);
  expect(found).toEqual(['people 1 Person 01 person-1', 'investors 2 Alpha Fund alpha']);
});

test('a person is related to companies, and to events with their dates, the latest first', async () => {
  expect(await related('people', 16)).toEqual(['companies 1 Quartz Ledger quartz-ledger']);
  expect(await related('people', 30)).toEqual([
    'events 2 Late late 2026-01-01',
    'events 1 Early early 2024-01-01',
    'events 3 Undated undated',
  ]);
});

test('an event is related to its participants', async () => {
  expect(await related('events', 2)).toEqual(['people 29 Person 29 person-29', 'people 30 Person 30 person-30']);
});

test('an investor is related only to what its own record names, and an entity without relations to nothing', async () => {
  expect(await related('investors', 1)).toEqual([]);
  expect(await related('companies', 2)).toEqual([]);
  expect(await related('people', 999)).toEqual([]);
});

test('the limits of a plan are reloaded after a minute, and kept while they cannot be read', async () => {
  await owner.query(`insert into plans (name, calls_per_minute, calls_per_month) values ('offered', 7, 5000000000)`);
  const clock = handClock();
  const failures: unknown[] = [];
  const offer = createPlanOffer(pool, 'offered', { timeoutMs: 2_000, clock }, (cause) => failures.push(cause));
  const known = { callsPerMinute: 7, callsPerMonth: 5_000_000_000 };
  expect(offer.latest()).toBeNull();
  await until(() => offer.latest() !== null, 'the first look');
  expect(offer.latest()).toEqual(known);
  await owner.query(`update plans set calls_per_minute = null where name = 'offered'`);
  clock.move(59_000);
  expect(offer.latest()).toEqual(known);
  clock.move(2_000);
  await until(() => offer.latest()?.callsPerMinute === null, 'the second look');
  await owner.query(`alter table plans rename to plans_away`);
  clock.move(61_000);
  offer.latest();
  await until(() => failures.length > 0, 'a failure');
  expect(offer.latest()).toEqual({ ...known, callsPerMinute: null });
  expect(failures).toHaveLength(1);
  await owner.query(`alter table plans_away rename to plans`);
});

test('a missing or inactive plan offers nothing', async () => {
  await owner.query(`insert into plans (name, calls_per_minute, active) values ('gone', 7, false)`);
  const clock = handClock();
  let failed = false;
  for (const name of ['gone', 'never']) {
    const offer = createPlanOffer(pool, name, { timeoutMs: 2_000, clock }, () => {
      failed = true;
    });
    offer.latest();
    // Its answer is there once a later statement of the same pool has been answered.
    await pool.query('select 1');
    expect(offer.latest()).toBeNull();
  }
  expect(failed).toBe(false);
});
