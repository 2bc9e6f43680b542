import type { Pool } from 'pg';
import { z } from 'zod';
import type { KeyDirectory, KeyRecord } from '../../access/keys.ts';
import { createBatcher } from '../../lib/concurrency/batcher.ts';

// The time of Postgres' index lookup reveals at most how much of a guess's hash matches a stored one. No key can be
// derived from the beginning of a hash.
const byHash = `
  select k.hash, k.id as key_id, a.id as account_id, a.active as account_active,
         p.name as plan, p.active as plan_active, p.calls_per_minute, p.calls_per_month,
         floor(extract(epoch from k.expires_at) * 1000)::bigint as expires_at_ms,
         floor(extract(epoch from k.revoked_at) * 1000)::bigint as revoked_at_ms
  from api_keys k join accounts a on a.id = k.account_id join plans p on p.name = a.plan
  where k.hash = any($1::bytea[])`;

const row = z.object({
  hash: z.instanceof(Buffer),
  key_id: z.int(),
  account_id: z.int(),
  account_active: z.boolean(),
  plan: z.string(),
  plan_active: z.boolean(),
  calls_per_minute: z.int().nullable(),
  calls_per_month: z.int().nullable(),
  expires_at_ms: z.int().nullable(),
  revoked_at_ms: z.int().nullable(),
});

/** Maximum number of hashes per statement. */
const hashesMax = 500;

/**
 * Looks keys up in Postgres. Concurrent lookups share a statement, and one statement runs at a time. So a flood of
 * guessed keys costs few statements, and a valid key among them waits for at most two.
 * @param timeoutMs time after which a statement has failed and its connection is closed
 */
export function createKeyDirectory(pool: Pool, timeoutMs: number): KeyDirectory {
  const find = createBatcher(async (_key: 'keys', hashes: readonly Buffer[]) => {
    const { rows } = await pool.query<object>({ text: byHash, values: [hashes], query_timeout: timeoutMs });
    const found = new Map(rows.map((one) => row.parse(one)).map((one) => [one.hash.toString('hex'), toRecord(one)]));
    return hashes.map((hash) => found.get(hash.toString('hex')) ?? null);
  }, hashesMax);
  return {
    async find(hash) {
      try {
        return { ok: true, key: await find('keys', hash) };
      } catch (cause) {
        return { ok: false, cause };
      }
    },
  };
}

function toRecord(found: z.infer<typeof row>): KeyRecord {
  return {
    keyId: found.key_id,
    accountId: found.account_id,
    accountActive: found.account_active,
    plan: {
      name: found.plan,
      active: found.plan_active,
      callsPerMinute: found.calls_per_minute,
      callsPerMonth: found.calls_per_month,
    },
    expiresAtMs: found.expires_at_ms,
    revokedAtMs: found.revoked_at_ms,
  };
}
