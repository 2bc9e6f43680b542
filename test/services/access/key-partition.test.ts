import { readConfig } from '../../../src/config/api.ts';
import { forFile } from '../../support/for-file.ts';
import { type Answered, setFaultsStage } from '../../support/stages/faults.ts';
import { until } from '../../support/until.ts';

// One API process has lost its connection to Postgres, which runs and accepts the revocation of a key.

const staleMs = 8_000;

const on = await forFile(setFaultsStage({ KEY_STALE: `${staleMs}ms` }, { keys: { cacheMs: 500 } }));

test('a process cut off from Postgres accepts a revoked key for KEY_STALE, and then no key', async () => {
  const key = await on.stage.createKey();
  const search = (): Promise<Answered> => on.ask('search', key);
  expect((await search()).status).toBe(200);
  await on.postgres.set('refuse');
  await on.stage.revokeKey(key);
  let last = await search();
  expect(last.status).toBe(200);
  // Only after the time for which the process caches keys does the promise about revocation end.
  await until(async () => {
    last = await search();
    return last.status !== 200;
  }, 'the end of KEY_STALE');
  expect(last).toMatchObject({ status: 503, code: 'service_unavailable' });
  await on.postgres.set('pass');
  const statuses = new Set<number>();
  const known = async (): Promise<boolean> => {
    const { status } = await search();
    statuses.add(status);
    return status === 401;
  };
  await until(known, 'the refusal of the revoked key');
  expect(statuses.has(200)).toBe(false);
});

test('with the default settings, that takes 35 seconds, as documented', () => {
  const { keys } = readConfig({ DATABASE_URL: 'postgres://a@b/c', ELASTICSEARCH_URL: 'http://a:1' });
  expect(keys.cacheMs).toBeLessThan(5_000);
  expect(keys.cacheMs + keys.staleMs).toBeLessThanOrEqual(35_000);
});
