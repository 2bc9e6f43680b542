import type { Pool } from 'pg';
import { z } from 'zod';
import { type CallsUsed, callVerdicts, type PlanLimits, standingOf } from '../../access/allowance.ts';
import { createBatcher } from '../../lib/batcher.ts';
import type { Taking } from '../../ports.ts';

/** The counts that all processes share. Both calls reject when Postgres can't be asked. */
export interface SharedCounts {
  take(accountId: number, cost: number, limits: PlanLimits): Promise<Taking>;
  used(accountId: number): Promise<{ readonly used: CallsUsed; readonly today: number }>;
}

/** Sends a statement and answers its first row. Rejects, and has reported, what failed. */
type Ask = (statement: { readonly name: string; readonly text: string }, values: unknown[]) => Promise<unknown>;

interface Wish {
  readonly cost: number;
  readonly limits: PlanLimits;
}

/** Calls that one statement decides on. */
const wishesMax = 1_000;

const sql = {
  take: {
    name: 'take calls',
    text: `select verdicts, minute::text, minute_used, minute_left_ms, day, month_used, month_left_ms
           from take_calls($1, $2, $3, $4, 0)`,
  },
  giveBack: { name: 'return calls', text: 'select return_calls($1, $2, $3, $4)' },
  used: { name: 'used calls', text: 'select * from used_calls($1)' },
} as const;

const usedRow = z.object({
  minute_used: z.int(),
  minute_left_ms: z.int(),
  month_used: z.int(),
  month_left_ms: z.int(),
});
const takenRow = usedRow.extend({ verdicts: z.array(z.enum(callVerdicts)), minute: z.string(), day: z.string() });
const usageRow = usedRow.extend({ day_used: z.int() });

/**
 * `take_calls` decides under a lock on the account. Calls of one account that arrive together share a statement, so a
 * busy account costs one round trip at a time and nobody waits for more than two.
 * @param timeoutMs after which a statement counts as failed
 * @param onFailure told of every failed statement, once however many shared it
 */
export function createSharedCounts(pool: Pool, timeoutMs: number, onFailure: (cause: unknown) => void): SharedCounts {
  const ask: Ask = async (statement, values) => {
    try {
      const { rows } = await pool.query<object>({ ...statement, values, query_timeout: timeoutMs });
      return rows[0];
    } catch (cause) {
      onFailure(cause);
      throw cause;
    }
  };
  const take = createBatcher(
    (accountId: number, wishes: readonly Wish[]) => takeTogether(ask, accountId, wishes),
    wishesMax,
  );
  return {
    take: (accountId, cost, limits) => take(accountId, { cost, limits }),
    async used(accountId) {
      const found = usageRow.parse(await ask(sql.used, [accountId]));
      return { used: toUsed(found), today: found.day_used };
    },
  };
}

async function takeTogether(ask: Ask, accountId: number, wishes: readonly Wish[]): Promise<readonly Taking[]> {
  // Keys of one account may have been looked up at different times: the latest look-up knows best.
  const limits = wishes.at(-1)?.limits ?? { callsPerMinute: 0, callsPerMonth: 0 };
  const costs = wishes.map(({ cost }) => cost);
  const taken = takenRow.parse(await ask(sql.take, [accountId, costs, limits.callsPerMinute, limits.callsPerMonth]));
  let used = toUsed(taken);
  return taken.verdicts.map((verdict, at) => {
    const cost = costs[at] ?? 0;
    if (verdict === 'admitted') used = plus(used, cost);
    const then = used;
    return {
      verdict,
      standing: standingOf(limits, then),
      async giveBack() {
        try {
          await ask(sql.giveBack, [accountId, cost, taken.minute, taken.day]);
          return standingOf(limits, plus(then, -cost));
        } catch {
          // It was reported. What Postgres can't take back now stays counted.
          return standingOf(limits, then);
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

/** With so many calls more. */
export function plus(used: CallsUsed, calls: number): CallsUsed {
  return { ...used, minute: used.minute + calls, month: used.month + calls };
}
