import { entitySearch } from '../../../dev/lib/command-line.ts';
import { type ErrorBody, json } from '../../support/api/in-process.ts';
import { forFile } from '../../support/for-file.ts';
import { setAccessStage } from '../../support/stages/access.ts';
import { until } from '../../support/until.ts';
import { testWithinADay } from '../../support/within-a-day.ts';

// Two APIs on one Postgres. Records cost one call each and need no Elasticsearch.

const stage = await forFile(setAccessStage());
const one = await forFile(stage.startApi());
const other = await forFile(stage.startApi());
const urls = [one.url, other.url];

function get(key: string, path = '/api/v1/companies/1', at = 0): Promise<Response> {
  return fetch(`${urls[at % urls.length]}${path}`, { headers: { authorization: `Bearer ${key}` } });
}

function bulk(key: string, identifiers: readonly unknown[], at = 0): Promise<Response> {
  return fetch(`${urls[at % urls.length]}/api/v1/bulk`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ operation: 'count', entity_type: 'companies', identifiers }),
  });
}

const ids = (count: number) => Array.from({ length: count }, (_, at) => at + 1);

/** Counts the answers by status. */
async function tally(answers: readonly Promise<Response>[]): Promise<Record<number, number>> {
  const counts: Record<number, number> = {};
  for (const { status } of await Promise.all(answers)) counts[status] = (counts[status] ?? 0) + 1;
  return counts;
}

async function used(accountId: number): Promise<{ minute: number; month: number; day: number }> {
  const { rows } = await stage.pool.query(
    'select minute_used as minute, month_used::int as month, day_used::int as day from used_calls($1)',
    [accountId],
  );
  return rows[0];
}

testWithinADay(
  'of 200 concurrent requests to two processes with a key for 60 a minute, exactly 60 are admitted',
  async () => {
    const account = await stage.createAccount(60, null);
    expect(await tally(Array.from({ length: 200 }, (_, at) => get(account.key, undefined, at)))).toEqual({
      200: 60,
      429: 140,
    });
    expect(await used(account.id)).toEqual({ minute: 60, month: 60, day: 60 });
  },
);

testWithinADay('of 1,000 requests by 50 clients of each process, exactly the monthly quota is admitted', async () => {
  const account = await stage.createAccount(null, 777);
  const statuses: number[] = [];
  const client = async (at: number): Promise<void> => {
    for (let call = 0; call < 10; call += 1) statuses.push((await get(account.key, undefined, at)).status);
  };
  await Promise.all(Array.from({ length: 100 }, (_, at) => client(at)));
  expect(statuses.filter((status) => status === 200)).toHaveLength(777);
  expect(statuses.filter((status) => status === 429)).toHaveLength(223);
  expect(await used(account.id)).toMatchObject({ month: 777 });
});

test('two keys of an account share its limits', async () => {
  const account = await stage.createAccount(10, null);
  const other = await stage.createKey(account.plan);
  const answers = Array.from({ length: 30 }, (_, at) => get(at % 2 === 0 ? account.key : other, undefined, at));
  expect(await tally(answers)).toEqual({ 200: 10, 429: 20 });
});

testWithinADay('a bulk request beyond the limit takes nothing, and a smaller one after it is served', async () => {
  const account = await stage.createAccount(12, null);
  expect((await bulk(account.key, ids(95))).status).toBe(200);
  const refused = await bulk(account.key, ids(21), 1);
  expect(refused.status).toBe(429);
  expect(refused.headers.get('x-request-cost')).toBe('0');
  expect(refused.headers.get('x-ratelimit-remaining')).toBe('2');
  expect((await json<ErrorBody>(refused)).error).toMatch(/costs 3, and 2 of 12 a minute are left/);
  expect((await bulk(account.key, ids(20), 1)).status).toBe(200);
  expect(await used(account.id)).toEqual({ minute: 12, month: 12, day: 12 });
});

testWithinADay('an exhausted month is 429 quota_exceeded, with the first day of the next month', async () => {
  const account = await stage.createAccount(60, 3);
  expect(await tally(ids(5).map((at) => get(account.key, undefined, at)))).toEqual({ 200: 3, 429: 2 });
  const refused = await get(account.key);
  const body = await json<ErrorBody>(refused);
  expect(body.code).toBe('quota_exceeded');
  const { rows } = await stage.pool.query(
    `select to_char(date_trunc('month', now() at time zone 'UTC') + interval '1 month', 'YYYY-MM-DD') as day`,
  );
  expect(body.error).toContain(`until ${rows[0]?.day} (UTC)`);
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
  expect(refused.headers.get('ratelimit-policy')).toBe('"minute";q=60;w=60, "month";q=3');
  expect(refused.headers.get('ratelimit')).toMatch(/^"minute";r=57;t=\d+, "month";r=0;t=\d+$/);
});

testWithinADay('a minute begins with the first call and ends 60 s later', async () => {
  const account = await stage.createAccount(2, null);
  expect(await tally(ids(3).map(() => get(account.key)))).toEqual({ 200: 2, 429: 1 });
  const refused = await get(account.key, undefined, 1);
  const retryAfter = Number(refused.headers.get('retry-after'));
  expect(retryAfter).toBeGreaterThan(50);
  expect(retryAfter).toBeLessThanOrEqual(60);
  // The clock is Postgres's, so it is the minute's beginning that is moved.
  await stage.pool.query(`update account_minutes set started_at = started_at - interval '60 s' where account_id = $1`, [
    account.id,
  ]);
  expect((await get(account.key)).status).toBe(200);
  expect(await used(account.id)).toEqual({ minute: 1, month: 3, day: 3 });
});

testWithinADay('a new day and month start at zero, and the previous month stays stored', async () => {
  const account = await stage.createAccount(null, 5);
  await get(account.key);
  await stage.pool.query(
    `update account_months set used = 5, day_used = 4, month = month - interval '1 month', day = date_trunc('month', day - interval '1 month')
     where account_id = $1`,
    [account.id],
  );
  expect((await get(account.key)).status).toBe(200);
  expect(await used(account.id)).toMatchObject({ month: 1, day: 1 });
  const { rows } = await stage.pool.query('select used::int from account_months where account_id = $1 order by month', [
    account.id,
  ]);
  expect(rows).toEqual([{ used: 5 }, { used: 1 }]);
});

testWithinADay('a failure of the server (5xx) is refunded: Elasticsearch is down', async () => {
  const account = await stage.createAccount(5, 5);
  const answers = await Promise.all(ids(5).map((at) => get(account.key, '/api/v1/search?type=companies', at)));
  expect(answers.map(({ status }) => status)).toEqual([500, 500, 500, 500, 500]);
  expect(answers.map(({ headers }) => headers.get('x-request-cost'))).toEqual(['0', '0', '0', '0', '0']);
  expect(await used(account.id)).toEqual({ minute: 0, month: 0, day: 0 });
  expect(await tally(ids(6).map((at) => get(account.key, undefined, at)))).toEqual({ 200: 5, 429: 1 });
});

testWithinADay('400 and 404 cost one call; 401, 403, 429 and usage cost none', async () => {
  const account = await stage.createAccount(3, null);
  expect((await get(account.key, '/api/v1/companies/999')).status).toBe(404);
  expect((await get(account.key, '/api/v1/search?type=nonsense')).status).toBe(400);
  expect((await bulk(account.key, [0])).status).toBe(400);
  expect((await get(account.key)).status).toBe(429);
  expect((await get(account.key, '/api/v1/usage')).status).toBe(200);
  expect((await get('nonsense')).status).toBe(401);
  expect(await used(account.id)).toEqual({ minute: 3, month: 3, day: 3 });
});

test('a changed plan takes effect within 5 s in every process', async () => {
  const account = await stage.createAccount(1, null);
  expect(await tally([get(account.key), get(account.key, undefined, 1)])).toEqual({ 200: 1, 429: 1 });
  const change = ['plans', 'change', account.plan, '--per-minute', '1000'];
  expect(await entitySearch(change, { DATABASE_URL: stage.databaseUrl })).toMatchObject({ code: 0 });
  const served = async (at: number) => (await get(account.key, undefined, at)).status === 200;
  await Promise.all(urls.map((_, at) => until(() => served(at), 'the changed plan')));
});

testWithinADay('GET /api/v1/usage reports the plan, its limits and the usage across processes', async () => {
  const account = await stage.createAccount(50, 1_000);
  await Promise.all(ids(7).map((at) => get(account.key, undefined, at)));
  const { data } = await json<{ data: unknown }>(get(account.key, '/api/v1/usage', 1));
  expect(data).toEqual({
    plan: account.plan,
    limits: { calls_per_minute: 50, calls_per_month: 1_000 },
    used: { this_minute: 7, today: 7, this_month: 7 },
    resets_in_seconds: { minute: expect.any(Number), month: expect.any(Number) },
  });
});
