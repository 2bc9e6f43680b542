import { randomBytes } from 'node:crypto';
import type { Stage } from '../../support/stages/api.ts';
import { byProxy, type Failure, type FaultsStage, setFaultsStage } from '../../support/stages/faults.ts';
import { until } from '../../support/until.ts';

// Postgres fails in all ways that can be simulated. The API's role can run out of connections.

const role = `faults_${randomBytes(4).toString('hex')}`;
let on: FaultsStage;
beforeAll(async () => {
  on = await setFaultsStage({}, {}, asRole);
  await on.recovered('search');
});
afterAll(async () => {
  await on.stage.pool.query(`reassign owned by ${role} to current_user; drop owned by ${role}`);
  await on.api[Symbol.asyncDispose]();
  await on.stage.pool.query(`drop role ${role}`);
  await on[Symbol.asyncDispose]();
});

async function asRole({ pool, databaseUrl }: Stage): Promise<string> {
  await pool.query(`create role ${role} login password 'made-up';
    grant all on all tables in schema public to ${role}; grant all on all sequences in schema public to ${role}`);
  const url = new URL(databaseUrl);
  url.username = role;
  url.password = 'made-up';
  return url.href;
}

const terminate = () =>
  on.stage.pool.query('select pg_terminate_backend(pid) from pg_stat_activity where usename = $1', [role]);

const outOfConnections: Failure = {
  async begin() {
    await on.stage.pool.query(`alter role ${role} connection limit 0`);
    await terminate();
  },
  end: () => on.stage.pool.query(`alter role ${role} connection limit -1`),
};

const failures: readonly (readonly [name: string, failure: Failure, lostAnswers: boolean])[] = [
  ['refuse', byProxy('postgres', 'refuse'), false],
  ['hang', byProxy('postgres', 'hang'), false],
  ['noise', byProxy('postgres', 'noise'), false],
  ['running out of connections', outOfConnections, false],
  // A count that Postgres made without an answer is counted again by the process.
  ['mute', byProxy('postgres', 'mute'), true],
  ['cut', byProxy('postgres', 'cut'), true],
];

describe('Postgres fails', () => {
  test.each(failures)(
    '%s: requests that need it are 503, searches with known keys continue, and all recovers',
    async (_, failure, lostAnswers) => {
      const fresh = await on.stage.createKey();
      const start = await on.used();
      expect((await on.ask('search')).status).toBe(200);
      // Soon after a fault the process counts by itself, and writes it down later.
      await until(async () => (await on.used()) > start, 'the count of the search');
      const before = await on.used();
      await failure.begin(on);
      const [search, stranger, record, bulk, usage, health] = await Promise.all([
        on.ask('search'),
        on.ask('search', fresh),
        on.ask('record'),
        on.ask('bulk'),
        on.ask('usage'),
        on.ask('health'),
      ]);
      await failure.end(on);
      await on.recovered('record');
      await on.recovered('health');
      expect(search).toMatchObject({ status: 200, cost: '1' });
      for (const refused of [stranger, record, bulk, usage]) {
        expect(refused).toMatchObject({ status: 503, code: 'service_unavailable', retryAfter: '2', cost: '0' });
      }
      expect(health.status).toBe(503);
      // One search and one record; the rest was refunded. Pending counts are written about a second later.
      const least = before + 2;
      const counted = async () => (lostAnswers ? (await on.used()) >= least : (await on.used()) === least);
      await until(counted, 'the count of both calls');
    },
  );

  test('after all its connections are ended, the next requests are served or get Retry-After', async () => {
    await Promise.all(Array.from({ length: 10 }, () => on.ask('record')));
    await terminate();
    const answers = await Promise.all(Array.from({ length: 10 }, () => on.ask('record')));
    expect(answers.every(({ status, code }) => status === 200 || code === 'service_unavailable')).toBe(true);
    await on.recovered('record');
    await on.recovered('health');
  });

  test('slow answers are waited for', async () => {
    await on.postgres.set('slow');
    const record = await on.ask('record');
    await on.postgres.set('pass');
    // A connection that was closed meanwhile takes several of its own to be made again.
    expect([200, 503]).toContain(record.status);
    await on.recovered('record');
  });
});
