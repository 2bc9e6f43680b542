import { readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { forFile } from '../support/for-file.ts';
import { type Answered, setFaultsStage } from '../support/stages/faults.ts';
import { until } from '../support/until.ts';

// Five hundred callers while Elasticsearch accepts requests and answers none.

const callers = 500;

const on = await forFile(setFaultsStage({}));
await on.recovered('search');

/** The present memory of the API's process, in megabytes. */
function residentMb(): number {
  const status = readFileSync(`/proc/${on.api.child.pid}/status`, 'utf8');
  return Math.round(Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1]) / 1_024);
}

test('under overload, memory is bounded, health and records keep working, excess searches get Retry-After, and all recovers', async () => {
  const searches: Answered[] = [];
  const others: Record<'health' | 'record', Answered[]> = { health: [], record: [] };
  const served = (route: keyof typeof others) => others[route].filter(({ status }) => status === 200).length;
  let over = false;

  /** Waits as long as Retry-After asks, as well-behaved clients do. */
  async function callOn(): Promise<void> {
    while (!over) {
      const answer = await on.ask('search');
      searches.push(answer);
      if (answer.status !== 200) await delay(1_000);
      else await delay(100);
    }
  }
  async function watch(route: keyof typeof others): Promise<void> {
    while (!over) {
      others[route].push(await on.ask(route));
      await delay(100);
    }
  }

  const beforeMb = residentMb();
  await on.elasticsearch.set('hang');
  const all = Array.from({ length: callers }, callOn);
  const watching = [watch('health'), watch('record')];
  let mostMb = 0;
  const isRefused = ({ status }: Answered) => status === 503;
  await until(() => {
    mostMb = Math.max(mostMb, residentMb());
    return searches.some(({ status }) => status === 500) && searches.filter(isRefused).length > callers / 2;
  }, 'most callers refused, and a search that ended at its deadline');
  const earlier = { health: served('health'), record: served('record') };
  await until(() => {
    mostMb = Math.max(mostMb, residentMb());
    return served('health') > earlier.health && served('record') > earlier.record;
  }, 'a check of health and a record during the overload');
  const during = [...searches];
  await on.elasticsearch.set('pass');
  await on.recovered('search');
  over = true;
  await Promise.all([...all, ...watching]);

  const refused = during.filter(isRefused);
  for (const answer of refused) {
    expect(answer).toMatchObject({ code: 'overloaded', retryAfter: '1', cost: '0' });
  }
  expect(new Set(during.map(({ status }) => status))).toEqual(new Set([500, 503]));
  for (const route of ['health', 'record'] as const) {
    process.stderr.write(`overload: ${served(route)} of ${others[route].length} answers to ${route} were 200\n`);
    expect([200, 503]).toEqual(expect.arrayContaining(others[route].map(({ status }) => status)));
  }
  expect(mostMb - beforeMb).toBeLessThan(200);
});
