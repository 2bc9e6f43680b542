import { randomBytes } from 'node:crypto';
import { entitySearch } from '../../../dev/lib/command-line.ts';
import { withApiLimits } from '../../../dev/lib/limits.ts';
import { startFaultProxy } from '../../../dev/torture/fault-proxy.ts';
import { generateApiKey, hashApiKey } from '../../../src/access/api-key.ts';
import { createKeyUsage } from '../../../src/postgres/access/key-last-used.ts';
import { createQuotaStore } from '../../../src/postgres/access/quotas.ts';
import { readValue } from '../../../src/postgres/statements.ts';
import { handClock } from '../../support/api/in-process.ts';
import { startApiProcess } from '../../support/api/process.ts';
import { testPool } from '../../support/engines/pool.ts';
import { forFile } from '../../support/for-file.ts';
import { setAccessStage } from '../../support/stages/access.ts';
import { until } from '../../support/until.ts';

// Keys and limits while Postgres fails, and over time: two APIs, one of them behind a proxy.

const stage = await forFile(setAccessStage());
const postgres = await forFile(startFaultProxy(stage.databaseUrl));
// A process of its own, so that the callers of a flood don't take its time.
const engines = { DATABASE_URL: stage.databaseUrl, ELASTICSEARCH_URL: 'http://127.0.0.1:1' };
const nearUrl = await (await forFile(startApiProcess(engines))).url;
/** Soon counts by itself when its Postgres fails. */
const quick = {
  postgres: { connectTimeoutMs: 2_000, statementTimeoutMs: 2_000 },
  keys: { lookupTimeoutMs: 2_000 },
  limits: { timeoutMs: 5_000 },
};
const { url: farUrl } = await forFile(stage.startApi(withApiLimits({ DATABASE_URL: postgres.url }, quick)));

// Answered without Postgres, at the price of one call.
const free = '/api/v1/companies/%00';

function call(url: string, key: string, path = free): Promise<Response> {
  return fetch(`${url}${path}`, { headers: { authorization: `Bearer ${key}` } });
}

async function statuses(url: string, key: string, calls: number): Promise<readonly number[]> {
  const answers = await Promise.all(Array.from({ length: calls }, () => call(url, key)));
  return answers.map(({ status }) => status).sort();
}

const month = (accountId: number) =>
  readValue<number>(stage.pool, 'select month_used::int as used from used_calls($1)', [accountId]);

const many = (count: number, status: number) => Array.from({ length: count }, () => status);

describe('While Postgres is unavailable', () => {
  test.each(['refuse', 'hang'] as const)(
    "%s: a process admits a plan's calls per minute by its own count, and adds them to the month afterwards",
    async (fault) => {
      const account = await stage.createAccount(10, 1_000);
      expect((await call(farUrl, account.key)).status).toBe(404);
      await postgres.set(fault);
      const during = await statuses(farUrl, account.key, 15);
      const usage = await call(farUrl, account.key, '/api/v1/usage');
      await postgres.set('pass');
      expect(during).toEqual([...many(10, 404), ...many(5, 429)]);
      expect(usage.status).toBe(503);
      await until(async () => (await month(account.id)) === 11, 'the count of the month');
      // The minute in Postgres knows of one call only.
      const counted = async () => (await call(farUrl, account.key)).headers.get('x-ratelimit-remaining') === '8';
      await until(counted, 'the minute of Postgres');
    },
  );
});

test('after a crash of Postgres, the count of the month is kept and the minute starts again', async () => {
  const { rows } = await stage.pool.query(
    `select relname, relpersistence from pg_class where relname in ('account_minutes', 'account_months') order by 1`,
  );
  // "u" is what Postgres empties after a crash, "p" is what it keeps.
  expect(rows).toEqual([
    { relname: 'account_minutes', relpersistence: 'u' },
    { relname: 'account_months', relpersistence: 'p' },
  ]);
  const account = await stage.createAccount(3, 1_000);
  await statuses(nearUrl, account.key, 3);
  await stage.pool.query('delete from account_minutes where account_id = $1', [account.id]);
  expect((await call(nearUrl, account.key)).status).toBe(404);
  expect(await month(account.id)).toBe(4);
});

describe('Keys', () => {
  test('are refused in every process once revoked, and other keys keep working', async () => {
    const account = await stage.createAccount(null, null);
    const other = await stage.createKey(account.plan);
    const urls = [nearUrl, farUrl];
    for (const url of urls) expect((await call(url, account.key)).status).toBe(404);
    const { rows } = await stage.pool.query('select id from api_keys where hash = $1', [hashApiKey(account.key)]);
    const revoke = ['keys', 'revoke', String(rows[0]?.id)];
    expect(await entitySearch(revoke, { DATABASE_URL: stage.databaseUrl })).toMatchObject({ code: 0 });
    const refused = (url: string) => async () => (await call(url, account.key)).status === 401;
    await Promise.all(urls.map((url) => until(refused(url), 'the refusal of the revoked key')));
    for (const url of urls) expect((await call(url, other)).status).toBe(404);
  });
});

test('a flood of guessed keys does not delay a valid key, even one that was never used before', async () => {
  const account = await stage.createAccount(null, null);
  let over = false;
  const flood = async (): Promise<void> => {
    while (!over) await call(nearUrl, generateApiKey('live', randomBytes));
  };
  const attackers = Array.from({ length: 50 }, flood);
  for (let at = 0; at < 8; at += 1) {
    const key = await stage.createKey(account.plan);
    expect((await call(nearUrl, key)).status).toBe(404);
  }
  over = true;
  await Promise.all(attackers);
});

describe('Deferred writes', () => {
  test('update last_used_at once a minute of use, and at exit', async () => {
    const account = await stage.createAccount(null, null);
    const { rows: keys } = await stage.pool.query('select id::int from api_keys where hash = $1', [
      hashApiKey(account.key),
    ]);
    const id = Number(keys[0]?.id);
    const clock = handClock();
    const lastUsed = async () => {
      const { rows } = await stage.pool.query('select last_used_at from api_keys where id = $1', [id]);
      return rows[0]?.last_used_at?.getTime();
    };
    const pool = testPool(stage.databaseUrl, 2);
    const use = createKeyUsage(pool, { everyMs: 60_000, flushMs: 5, keysMax: 10 }, clock, (cause) => {
      throw cause;
    });
    const firstMs = clock.now();
    use.record(id);
    await until(async () => (await lastUsed()) === firstMs, 'the time of the first use');
    clock.move(59_999);
    use.record(id);
    clock.move(2);
    use.record(id);
    await use.close();
    expect(await lastUsed()).toBe(clock.now());
    await pool.end();
  });

  test('store the calls of a plan without limits at exit', async () => {
    const account = await stage.createAccount(null, null);
    const pool = testPool(stage.databaseUrl, 2);
    const limits = { callsPerMinute: null, callsPerMonth: null };
    const calls = createQuotaStore(
      pool,
      { timeoutMs: 60_000, flushMs: 3_600_000, accountsMax: 10 },
      handClock(),
      (cause) => {
        throw cause;
      },
    );
    const reservations = await Promise.all(Array.from({ length: 25 }, () => calls.reserve(account.id, 2, limits)));
    await reservations[0]?.refund();
    expect(await calls.used(account.id)).toMatchObject({ ok: true, today: 48 });
    expect(await month(account.id)).toBe(0);
    await calls.close();
    expect(await month(account.id)).toBe(48);
    await pool.end();
  });
});
