import { setTimeout as delay } from 'node:timers/promises';
import { hashApiKey } from '../../../src/access/api-key.ts';
import { withClient } from '../../engines/postgres/client.ts';
import { createTestAccount } from '../../lib/api-accounts.ts';

const perMinute = 300;
const flood = 600;
/** Longer than a process believes a key, also on a machine that is busy. The time it took is printed. */
const patienceMs = 120_000;

async function statusOf(url: string, key: string): Promise<number> {
  const response = await fetch(`${url}/api/v1/companies/1`, { headers: { authorization: `Bearer ${key}` } });
  await response.arrayBuffer();
  return response.status;
}

/** Twice a minute's calls at once, at all processes: exactly the minute's are admitted. */
export function floodOnce(databaseUrl: string, urls: readonly string[]): Promise<readonly string[]> {
  return withClient(databaseUrl, async (client) => {
    const { key } = await createTestAccount(client, `flood-${Date.now()}`, perMinute);
    const left = Array.from({ length: flood }, (_, at) => urls[at % urls.length] ?? '');
    const counts = new Map<number, number>();
    const work = async (): Promise<void> => {
      for (let url = left.pop(); url !== undefined; url = left.pop()) {
        const status = await statusOf(url, key);
        counts.set(status, (counts.get(status) ?? 0) + 1);
      }
    };
    await Promise.all(Array.from({ length: 60 }, work));
    const admitted = counts.get(200) ?? 0;
    const isExact = admitted === perMinute && counts.get(429) === flood - perMinute;
    return isExact
      ? []
      : [`limits: of ${flood} calls at once, ${JSON.stringify([...counts])}; ${perMinute} a minute are allowed`];
  });
}

/** Returns the time until all processes refuse a revoked key; undefined if one goes on serving it. */
export function revokeOnce(databaseUrl: string, urls: readonly string[]): Promise<number | undefined> {
  return withClient(databaseUrl, async (client) => {
    const { key } = await createTestAccount(client, `revoked-${Date.now()}`, 10_000_000);
    for (const url of urls) await statusOf(url, key);
    await client.query('update api_keys set revoked_at = now() where hash = $1', [hashApiKey(key)]);
    const startMs = performance.now();
    for (;;) {
      const statuses = await Promise.all(urls.map((url) => statusOf(url, key)));
      const ms = performance.now() - startMs;
      if (statuses.every((status) => status === 401)) return ms;
      if (ms > patienceMs) return undefined;
      await delay(100);
    }
  });
}
