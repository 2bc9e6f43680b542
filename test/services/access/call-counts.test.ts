import pg from 'pg';
import { createTestAccount } from '../../../dev/lib/api-accounts.ts';
import { dayMs } from '../../../src/lib/durations.ts';
import { createCallCounter } from '../../../src/postgres/access/call-counts.ts';
import { handClock } from '../../support/api/in-process.ts';
import { createTestDatabase } from '../../support/engines/database.ts';
import { closedAfterFile, forFile } from '../../support/for-file.ts';
import { until } from '../../support/until.ts';
import { testWithinADay } from '../../support/within-a-day.ts';

const database = await forFile(createTestDatabase());
const pool = await closedAfterFile(new pg.Pool({ connectionString: database.url, max: 5 }), (opened) => opened.end());

const settings = { flushMs: 5, waitingMax: 1_000 };
const dayOf = (ms: number): string => new Date(ms).toISOString().slice(0, 10);
const search = { endpoint: 'search', outcome: 'answered', calls: 1 } as const;

async function stored(accountId: number): Promise<readonly { day: string; calls: string }[]> {
  const { rows } = await pool.query(
    'select day::text, calls from account_calls where account_id = $1 order by account_calls.day',
    [accountId],
  );
  return rows;
}

test('several processes that count calls in the same rows lose none', async () => {
  const accounts = await Promise.all(
    ['one', 'two', 'three'].map(async (name) => (await createTestAccount(pool, name, null)).accountId),
  );
  const failures: unknown[] = [];
  const counters = Array.from({ length: 4 }, () =>
    createCallCounter(pool, settings, handClock(Date.now()), (cause) => failures.push(cause)),
  );
  for (let round = 0; round < 50; round += 1) {
    for (const [at, counter] of counters.entries()) {
      // Each in another order.
      const ids = at % 2 === 0 ? accounts : accounts.toReversed();
      for (const accountId of ids) counter.record({ ...search, accountId });
    }
    await new Promise(setImmediate);
  }
  await Promise.all(counters.map((counter) => counter.close()));
  expect(failures).toEqual([]);
  for (const id of accounts) {
    const days = await stored(id);
    // The run may have gone over midnight.
    expect(days.reduce((sum, { calls }) => sum + Number(calls), 0)).toBe(200);
  }
});

test('days are UTC days by the clock of the process', async () => {
  const { accountId } = await createTestAccount(pool, 'midnight', null);
  const midnightMs = Math.floor(Date.now() / dayMs) * dayMs;
  const clock = handClock(midnightMs - 1);
  const counter = createCallCounter(pool, settings, clock, () => undefined);
  counter.record({ ...search, accountId });
  clock.move(1);
  counter.record({ ...search, accountId });
  await counter.close();
  expect(await stored(accountId)).toEqual([
    { day: dayOf(midnightMs - 1), calls: '1' },
    { day: dayOf(midnightMs), calls: '1' },
  ]);
});

test('calls are kept while Postgres is down and written when it is back, up to a limit', async () => {
  const { accountId } = await createTestAccount(pool, 'away', null);
  const failures: unknown[] = [];
  let away = true;
  const sometimes = {
    query: (text: string, values: unknown[]) => (away ? Promise.reject(new Error('away')) : pool.query(text, values)),
  } as unknown as pg.Pool;
  const counter = createCallCounter(sometimes, { flushMs: 5, waitingMax: 2 }, handClock(Date.now()), (cause) =>
    failures.push(cause),
  );
  for (const outcome of ['answered', 'not_found', 'rate_limited', 'answered']) {
    counter.record({ ...search, accountId, outcome });
  }
  await until(() => failures.length > 1, 'a second try');
  away = false;

  await counter.close();
  const { rows } = await pool.query('select outcome, calls::int from account_calls where account_id = $1 order by 1', [
    accountId,
  ]);
  expect(rows).toEqual([
    { outcome: 'answered', calls: 2 },
    { outcome: 'not_found', calls: 1 },
  ]);
});

test('a deleted account does not prevent counting for the others', async () => {
  const { accountId } = await createTestAccount(pool, 'beside', null);
  const counter = createCallCounter(pool, settings, handClock(Date.now()), () => undefined);
  counter.record({ ...search, accountId: 999_999 });
  counter.record({ ...search, accountId });
  await counter.close();
  expect(await stored(accountId)).toHaveLength(1);
});

testWithinADay('days older than ninety are removed in steps', async (day) => {
  const { accountId } = await createTestAccount(pool, `old-${day}`, null);
  await pool.query(
    `insert into account_calls
     select $1, (now() at time zone 'UTC')::date - 88 - n / 100, 'search', 'outcome ' || n, 1 from generate_series(0, 2999) as n`,
    [accountId],
  );
  const counter = createCallCounter(pool, settings, handClock(Date.now()), () => undefined);
  counter.record({ ...search, accountId });
  await counter.close();
  const { rows } = await pool.query(
    `select count(*)::int as rows, min(day) = (now() at time zone 'UTC')::date - 89 as last_is_kept
     from account_calls where account_id = $1`,
    [accountId],
  );
  expect(rows).toEqual([{ rows: 201, last_is_kept: true }]);
});
