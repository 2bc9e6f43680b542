import { LRUCache } from 'lru-cache';
import type { Pool } from 'pg';
import { z } from 'zod';
import {
  type CallsUsed,
  callVerdicts,
  isUnlimited,
  type PlanLimits,
  type Standing,
  standingOf,
  unlimitedStanding,
} from '../access/allowance.ts';
import { currentMinute, minuteMs, type OwnMinute } from '../access/own-minute.ts';
import type { CallCounter, Clock, Taking, UsageFinding } from '../deps.ts';
import { createTally } from './limits-tally.ts';
import { shareRuns } from './shared-runs.ts';

/** All times in milliseconds. */
export interface CallCounterSettings {
  /** After which a statement counts as failed. */
  readonly timeoutMs: number;
  /** How long calls that nobody waits for are gathered. */
  readonly flushMs: number;
  /** Accounts that this process counts by itself while Postgres can't be asked. */
  readonly accountsMax: number;
}

interface Wish {
  readonly cost: number;
  readonly limits: PlanLimits;
}

/** Calls that one statement decides on. */
const wishesMax = 1_000;
/** After Postgres could not be asked, this process counts by itself for this long. */
const retryMs = 1_000;

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

/** Where calls were counted, in Postgres's words. */
type Place = Pick<z.infer<typeof takenRow>, 'minute' | 'day'>;

/**
 * Counts the calls of accounts in Postgres, the same for all processes and exactly: `take_calls` decides under a lock.
 * Calls of one account that arrive together share a statement, so a busy account costs one round trip at a time and
 * nobody waits for more than two.
 *
 * Plans without limits are counted too, a little later, and nobody waits for that. While Postgres can't be asked, this
 * process admits what the plan allows a minute by its own count, and adds it to the month afterwards.
 */
export function createCallCounter(
  pool: Pool,
  settings: CallCounterSettings,
  clock: Clock,
  onFailure: (cause: unknown) => void,
): CallCounter & { close(): Promise<void> } {
  const tally = createTally(pool, settings.flushMs, onFailure);
  const ownMinutes = new LRUCache<number, OwnMinute>({ max: settings.accountsMax });
  let failedAtMs = Number.NEGATIVE_INFINITY;

  const query = async (statement: { name: string; text: string }, values: unknown[]): Promise<unknown> => {
    try {
      // pg takes a time-out of a single query, which its types leave out.
      const bounded = { ...statement, values, query_timeout: settings.timeoutMs };
      const { rows } = await pool.query<object>(bounded);
      return rows[0];
    } catch (cause) {
      failedAtMs = clock.elapsed();
      onFailure(cause);
      throw cause;
    }
  };

  async function giveBack(accountId: number, cost: number, { minute, day }: Place): Promise<void> {
    try {
      await query(sql.giveBack, [accountId, cost, minute, day]);
    } catch {
      // It was reported. What Postgres can't take back now stays counted.
    }
  }

  async function takeTogether(accountId: number, wishes: readonly Wish[]): Promise<readonly Taking[]> {
    // Keys of one account may have been looked up at different times: the latest look-up knows best.
    const limits = wishes.at(-1)?.limits ?? { callsPerMinute: 0, callsPerMonth: 0 };
    const costs = wishes.map(({ cost }) => cost);
    const row = await query(sql.take, [accountId, costs, limits.callsPerMinute, limits.callsPerMonth]);
    const taken = takenRow.parse(row);
    let used = toUsed(taken);
    return taken.verdicts.map((verdict, at) => {
      const cost = costs[at] ?? 0;
      if (verdict === 'admitted') used = plus(used, cost);
      const then = used;
      return {
        verdict,
        standing: standingOf(limits, then),
        async giveBack() {
          await giveBack(accountId, cost, taken);
          return standingOf(limits, plus(then, -cost));
        },
      };
    });
  }

  const takeShared = shareRuns(takeTogether, wishesMax);

  function takeUncounted(accountId: number, cost: number): Taking {
    tally.add(accountId, { calls: cost });
    return {
      verdict: 'admitted',
      standing: unlimitedStanding,
      async giveBack() {
        tally.add(accountId, { calls: -cost });
        return unlimitedStanding;
      },
    };
  }

  function takeAlone(accountId: number, cost: number, limit: number | null): Taking {
    const minute = () => currentMinute(ownMinutes.get(accountId), clock.elapsed());
    const standing = (): Standing => {
      const { startedAtMs, used } = minute();
      const minuteLeftMs = minuteMs - (clock.elapsed() - startedAtMs);
      const limits = { callsPerMinute: limit, callsPerMonth: null };
      return standingOf(limits, { minute: used, minuteLeftMs, month: 0, monthLeftMs: 0 });
    };
    const count = (calls: number): void => {
      const { startedAtMs, used } = minute();
      ownMinutes.set(accountId, { startedAtMs, used: Math.max(0, used + calls) });
      tally.add(accountId, { late: calls });
    };
    const verdict = limit !== null && minute().used + cost > limit ? 'rate_limited' : 'admitted';
    if (verdict === 'admitted') count(cost);
    return {
      verdict,
      standing: standing(),
      async giveBack() {
        count(-cost);
        return standing();
      },
    };
  }

  return {
    async take(accountId, cost, limits) {
      if (isUnlimited(limits)) return takeUncounted(accountId, cost);
      if (clock.elapsed() - failedAtMs < retryMs) return takeAlone(accountId, cost, limits.callsPerMinute);
      try {
        return await takeShared(accountId, { cost, limits });
      } catch {
        // It was reported, once for all that shared the statement.
        return takeAlone(accountId, cost, limits.callsPerMinute);
      }
    },
    async used(accountId): Promise<UsageFinding> {
      try {
        const found = usageRow.parse(await query(sql.used, [accountId]));
        const waiting = Math.max(0, tally.waiting(accountId));
        return { ok: true, used: plus(toUsed(found), waiting), today: found.day_used + waiting };
      } catch (cause) {
        return { ok: false, cause };
      }
    },
    close: () => tally.finish(),
  };
}

function toUsed(row: z.infer<typeof usedRow>): CallsUsed {
  return {
    minute: row.minute_used,
    minuteLeftMs: row.minute_left_ms,
    month: row.month_used,
    monthLeftMs: row.month_left_ms,
  };
}

function plus(used: CallsUsed, cost: number): CallsUsed {
  return { ...used, minute: used.minute + cost, month: used.month + cost };
}
