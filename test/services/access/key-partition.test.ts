import { readConfig } from '../../../src/config/api.ts';
import { forFile } from '../../support/for-file.ts';
import { printMs } from '../../support/print-ms.ts';
import { type Answered, setFaultsStage } from '../../support/stages/faults.ts';
import { until } from '../../support/until.ts';

// One API process alone has lost Postgres, which lives and takes the revocation of a key all the same.

const cacheMs = 500;
const staleMs = 2_000;
const lookupMs = 500;

const on = await forFile(
  setFaultsStage({ KEY_STALE: `${staleMs}ms` }, { keys: { cacheMs, lookupTimeoutMs: lookupMs } }),
);

test.each(['refuse', 'hang'] as const)(
  'Postgres (%s) is lost to one process: it believes a revoked key while it is cached and for KEY_STALE, then can check none',
  async (fault) => {
    const key = await on.stage.createKey();
    const search = (): Promise<Answered> => on.ask('search', key);
    expect((await search()).status).toBe(200);
    const askedAtMs = performance.now();
    await on.postgres.set(fault);
    await on.stage.revokeKey(key);
    let last: Answered = await search();
    expect(last.status).toBe(200);
    let believedMs = 0;
    while (last.status === 200) {
      believedMs = performance.now() - askedAtMs;
      last = await search();
    }
    // Beyond what the process itself held: this is where the promise of revocation ends.
    expect(believedMs).toBeGreaterThan(cacheMs + 500);
    printMs(`believed, of ${cacheMs + staleMs + lookupMs} ms`, believedMs);
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
  },
);

test('with the default settings that is 35 seconds, as documented', () => {
  const { keys } = readConfig({ DATABASE_URL: 'postgres://a@b/c', ELASTICSEARCH_URL: 'http://a:1' });
  expect(keys.cacheMs).toBeLessThan(5_000);
  expect(keys.cacheMs + keys.staleMs).toBeLessThanOrEqual(35_000);
});
