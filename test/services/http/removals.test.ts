import type pg from 'pg';
import { resolveNotes } from '../../../indexer/resolver/resolver.ts';
import { type ErrorBody, expectError, json } from '../../support/api/in-process.ts';
import { createTestClient } from '../../support/engines/indices.ts';
import { forFile } from '../../support/for-file.ts';
import { setAccessStage } from '../../support/stages/access.ts';
import { until } from '../../support/until.ts';

// The feed of removals as a program that keeps a copy sees it.

const cluster = { client: createTestClient(), limits: { timeoutMs: 60_000, retries: 0, pauseMs: 100 } };

/** All processes of an installation have the same. */
const secret = { CURSOR_SECRET: 'removals-test-secret-of-32-letters' };

interface Page {
  readonly data: {
    readonly results: readonly { readonly entity_type: string; readonly id: number; readonly removed_at: string }[];
    readonly nextCursor: string;
    readonly hasMore: boolean;
  };
  readonly message: string;
}

const stage = await forFile(setAccessStage());
const { url } = await forFile(stage.startApi(secret));
const { key } = await stage.createAccount(null, null);

function get(query: string): Promise<Response> {
  return fetch(`${url}/api/v1/removals${query}`, { headers: { authorization: `Bearer ${key}` } });
}

/** As sync does it. No index is searched, so the cluster gets no request. */
function settle(pool = stage.pool): Promise<void> {
  return resolveNotes({ pool, cluster });
}

async function page(query: string): Promise<Page> {
  const response = await get(query);
  expect(response.status).toBe(200);
  return json<Page>(response);
}

async function fresh(type = 'companies'): Promise<string> {
  await settle();
  const { data } = await page(`?type=${type}`);
  expect(data).toMatchObject({ results: [], hasMore: false });
  return data.nextCursor;
}

async function refusal(query: string): Promise<ErrorBody & { readonly status: number }> {
  const response = await get(query);
  return { status: response.status, ...(await json<ErrorBody>(response)) };
}

/** Ids of a kind that nothing else of this file uses. */
async function fill(client: pg.Pool | pg.PoolClient, from: number, to: number): Promise<void> {
  await client.query(
    `insert into companies (id, name, slug) select id, 'C' || id, 'c' || id from generate_series($1::int, $2::int) as id`,
    [from, to],
  );
}

test.each([
  ['', /"type"/],
  ['?type=all', /"type"/],
  ['?type=companies&limit=0', /"limit".*1 to 1000/],
  ['?type=companies&limit=1001', /"limit".*1 to 1000/],
  ['?type=companies&cursor=', /"cursor"/],
  [`?type=companies&cursor=${'a'.repeat(501)}`, /"cursor"/],
  ['?type=companies&since=2026-01-01', /"since"/],
])('%s is 400, and the parameter is named', async (query, message) => {
  expect(await refusal(query)).toMatchObject({
    status: 400,
    code: 'invalid_parameter',
    error: expect.stringMatching(message),
  });
});

test('a modified cursor, or one of another kind, is refused', async () => {
  const cursor = await fresh();
  const changed = cursor.slice(0, -2) + (cursor.endsWith('AA') ? 'BB' : 'AA');
  for (const query of [
    `?type=people&cursor=${cursor}`,
    `?type=companies&cursor=${changed}`,
    '?type=companies&cursor=1',
  ]) {
    expect(await refusal(query)).toMatchObject({ status: 400, code: 'invalid_cursor' });
  }
});

test('removals are listed in pages, once, without those of other kinds or earlier ones', async () => {
  await fill(stage.pool, 100, 110);
  await stage.pool.query('delete from companies where id = 110');
  const cursor = await fresh();
  await stage.pool.query(`delete from companies where id between 100 and 104`);
  await stage.pool.query(`delete from people where id = 3`);
  await settle();
  const first = await page(`?type=companies&limit=3&cursor=${cursor}`);
  expect(first).toMatchObject({ message: 'Found 3 removals.', data: { hasMore: true } });
  const second = await page(`?type=companies&limit=3&cursor=${first.data.nextCursor}`);
  expect(second).toMatchObject({ message: 'Found 2 removals.', data: { hasMore: false } });
  const all = [...first.data.results, ...second.data.results];
  expect(all.map(({ id }) => id).toSorted((one, other) => one - other)).toEqual([100, 101, 102, 103, 104]);
  expect(all[0]).toEqual({ entity_type: 'companies', id: expect.any(Number), removed_at: expect.stringMatching(/Z$/) });
  expect(await page(`?type=companies&cursor=${second.data.nextCursor}`)).toMatchObject({
    data: { results: [], hasMore: false },
  });
  // A cursor may be used again.
  expect((await page(`?type=companies&limit=3&cursor=${cursor}`)).data.results).toEqual(first.data.results);
});

test('a recreated entity is not listed, and listed again once it is deleted again', async () => {
  await fill(stage.pool, 120, 120);
  const cursor = await fresh();
  await stage.pool.query('delete from companies where id = 120');
  await fill(stage.pool, 120, 120);
  await settle();
  const there = await page(`?type=companies&cursor=${cursor}`);
  expect(there.data).toMatchObject({ results: [], hasMore: false });
  await stage.pool.query('delete from companies where id = 120');
  await settle();
  const gone = await page(`?type=companies&cursor=${there.data.nextCursor}`);
  expect(gone.data.results.map(({ id }) => id)).toEqual([120]);
});

test('an entity that gets another id is listed with the old one', async () => {
  await fill(stage.pool, 130, 131);
  const cursor = await fresh();
  await stage.pool.query(`update companies set id = case id when 130 then 132 else id end, name = name || '.'
                          where id between 130 and 131`);
  await settle();
  const { data } = await page(`?type=companies&cursor=${cursor}`);
  expect(data.results.map(({ id }) => id)).toEqual([130]);
});

test('a rolled back removal is not listed', async () => {
  await fill(stage.pool, 140, 140);
  const cursor = await fresh();
  await stage.pool.query('begin; delete from companies where id = 140; rollback');
  await settle();
  expect((await page(`?type=companies&cursor=${cursor}`)).data.results).toEqual([]);
});

test('a removal is listed while an earlier transaction is open, whose removals are listed later', async () => {
  await fill(stage.pool, 150, 151);
  const cursor = await fresh();
  const client = await stage.pool.connect();
  try {
    await client.query('begin');
    await client.query('delete from companies where id = 150');
    await stage.pool.query('delete from companies where id = 151');
    await settle();
    const meanwhile = await page(`?type=companies&cursor=${cursor}`);
    expect(meanwhile.data.results.map(({ id }) => id)).toEqual([151]);
    await client.query('commit');
    await settle();
    const { data } = await page(`?type=companies&cursor=${meanwhile.data.nextCursor}`);
    expect(data.results.map(({ id }) => id)).toEqual([150]);
  } finally {
    client.release();
  }
});

test('after TRUNCATE a copy must start over, and a new cursor is valid', async () => {
  const [people, companies] = [await fresh('people'), await fresh('companies')];
  await stage.pool.query('truncate people cascade');
  await settle();
  expect(await refusal(`?type=people&cursor=${people}`)).toMatchObject({ status: 400, code: 'removals_unknown' });
  await page(`?type=companies&cursor=${companies}`);
  const again = await fresh('people');
  await page(`?type=people&cursor=${again}`);
});

test('a cursor of another database must start over', async () => {
  await using other = await setAccessStage();
  await using there = await other.startApi(secret);
  const cursor = await fresh();
  await settle(other.pool);
  const response = await fetch(`${there.url}/api/v1/removals?type=companies&cursor=${cursor}`, {
    headers: { authorization: `Bearer ${(await other.createAccount(null, null)).key}` },
  });
  await expectError(response, 400, 'removals_unknown');
});

test('a request costs one call', async () => {
  const account = await stage.createAccount(10, null);
  const response = await fetch(`${url}/api/v1/removals?type=events`, {
    headers: { authorization: `Bearer ${account.key}` },
  });
  expect(response.headers.get('x-request-cost')).toBe('1');
  await until(async () => {
    const { rows } = await stage.pool.query('select from account_calls where account_id = $1', [account.id]);
    return rows.length === 1;
  }, 'counting');
});
