import type { Pool } from 'pg';
import { z } from 'zod';
import type { QuotaReservation } from '../../access/quota.ts';
import { type CallsUsed, callVerdicts, type PlanLimits, quotaStatus } from '../../access/quota.ts';
import { createBatcher } from '../../lib/concurrency/batcher.ts';

/** The quotas that all processes share. Both methods reject if Postgres gives no answer. */
export interface SharedQuotas {
  reserve(accountId: number, cost: number, limits: PlanLimits): Promise<QuotaReservation>;
  used(accountId: number): Promise<{ readonly used: CallsUsed; readonly today: number }>;
}

/** Sends a statement and resolves with its first row. Reports a failure before it rejects. */
type Query = (statement: { readonly name: string; readonly text: string }, values: unknown[]) => Promise<unknown>;

interface QuotaRequest {
  readonly cost: number;
  readonly limits: PlanLimits;
}

/** Maximum number of requests per statement. */
const batchMax = 1_000;

const sql = {
  reserve: {
    name: 'take calls',
    text: `select verdicts, minute::text, minute_used, minute_left_ms, day, month_used, month_left_ms
           from take_calls($1, $2, $3, $4, 0)`,
  },
  refund: { name: 'return calls', text: 'select return_calls($1, $2, $3, $4)' },
  used: { name: 'used calls', text: 'select * from used_calls($1)' },
} as const;

const usedRow = z.object({
  minute_used: z.int(),
  minute_left_ms: z.int(),
  month_used: z.int(),
  month_left_ms: z.int(),
});
const reservedRow = usedRow.extend({ verdicts: z.array(z.enum(callVerdicts)), minute: z.string(), day: z.string() });
const usageRow = usedRow.extend({ day_used: z.int() });

/**
 * `take_calls` decides under a lock on the account. Concurrent calls of an account share a statement, so a busy account
 * costs one round trip at a time, and no call waits for more than two.
 * @param timeoutMs time after which a statement has failed
 * @param onFailure called once for every failed statement, however many calls shared it
 */
export function createSharedQuotas(pool: Pool, timeoutMs: number, onFailure: (cause: unknown) => void): SharedQuotas {
  const query: Query = async (statement, values) => {
    try {
      const { rows } = await pool.query<object>({ ...statement, values, query_timeout: timeoutMs });
      return rows[0];
    } catch (cause) {
      onFailure(cause);
      throw cause;
    }
  };
  const reserve = createBatcher(
    (accountId: number, requests: readonly QuotaRequest[]) => reserveBatch(query, accountId, requests),
    batchMax,
  );
  return {
    reserve: (accountId, cost, limits) => reserve(accountId, { cost, limits }),
    async used(accountId) {
      const found = usageRow.parse(await query(sql.used, [accountId]));
      return { used: toUsed(found), today: found.day_used };
    },
  };
}

async function reserveBatch(
  query: Query,
  accountId: number,
  requests: readonly QuotaRequest[],
): Promise<readonly QuotaReservation[]> {
  // The keys of an account may have been looked up at different times. The latest lookup counts.
  const limits = requests.at(-1)?.limits ?? { callsPerMinute: 0, callsPerMonth: 0 };
  const costs = requests.map(({ cost }) => cost);
  const reserved = reservedRow.parse(
    await query(sql.reserve, [accountId, costs, limits.callsPerMinute, limits.callsPerMonth]),
  );
  let used = toUsed(reserved);
  return reserved.verdicts.map((verdict, at) => {
    const cost = costs[at] ?? 0;
    if (verdict === 'admitted') used = plus(used, cost);
    const then = used;
    return {
      verdict,
      status: quotaStatus(limits, then),
      async refund() {
        try {
          await query(sql.refund, [accountId, cost, reserved.minute, reserved.day]);
          return quotaStatus(limits, plus(then, -cost));
        } catch {
          // The failure was reported. The calls stay counted.
          return quotaStatus(limits, then);
        }
      },
    };
  });
}

function toUsed(row: z.infer<typeof usedRow>): CallsUsed {
  return {
    minute: row.minute_used,
    minuteLeftMs: row.minute_left_ms,
    month: row.month_used,
    monthLeftMs: row.month_left_ms,
  };
}

/** Returns the status after this many further calls. */
export function plus(used: CallsUsed, calls: number): CallsUsed {
  return { ...used, minute: used.minute + calls, month: used.month + calls };
}
