import { randomBytes } from 'node:crypto';
import { generateApiKey } from '../../src/access/api-key.ts';
import { createAccount, createPlan } from '../../src/postgres/access/admin.ts';
import { createKey } from '../../src/postgres/access/key-admin.ts';
import { withClient } from '../engines/postgres/client.ts';
import type { Database } from './databases.ts';

const plan = 'bench';

/** Creates keys, each for an account of its own, on a plan without limits. */
export async function unlimitedKeys(database: Database, count: number): Promise<readonly string[]> {
  return withClient(database.url, async (client) => {
    await createPlan(client, plan, { callsPerMinute: null, callsPerMonth: null });
    const keys: string[] = [];
    for (let number = 1; number <= count; number += 1) {
      const account = `bench ${number}`;
      await createAccount(client, account, plan, 'npm run bench');
      const key = generateApiKey('live', randomBytes);
      const row = { account, name: plan, key, expiresAt: null };
      await createKey(client, row, { name: 'npm run bench', ip: null });
      keys.push(key);
    }
    return keys;
  });
}
