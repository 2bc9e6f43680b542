import type { Pool } from 'pg';
import { isUnlimited, unlimitedStanding } from '../../access/allowance.ts';
import type { CallCounter, Clock, Taking } from '../../ports.ts';
import { createOwnCounts } from './quota-alone.ts';
import { createSharedCounts, plus } from './quota-postgres.ts';
import { createTally, type Tally } from './quota-tally.ts';

/** All times in milliseconds. */
export interface CallCounterSettings {
  /** After which a statement counts as failed. */
  readonly timeoutMs: number;
  /** How long calls that nobody waits for are gathered. */
  readonly flushMs: number;
  /** Accounts that this process counts by itself while Postgres can't be asked. */
  readonly accountsMax: number;
}

/** After Postgres could not be asked, this process counts by itself for this long. */
const retryMs = 1_000;

/**
 * Counts the calls of accounts in Postgres, the same for all processes and exactly. Plans without limits are counted a
 * little later, and nobody waits for that. While Postgres can't be asked, this process counts by itself.
 */
export function createCallCounter(
  pool: Pool,
  settings: CallCounterSettings,
  clock: Clock,
  onFailure: (cause: unknown) => void,
): CallCounter & { close(): Promise<void> } {
  let failedAtMs = Number.NEGATIVE_INFINITY;
  const shared = createSharedCounts(pool, settings.timeoutMs, (cause) => {
    failedAtMs = clock.elapsed();
    onFailure(cause);
  });
  const tally = createTally(pool, settings.flushMs, onFailure);
  const takeAlone = createOwnCounts(settings.accountsMax, tally, clock);
  return {
    async take(accountId, cost, limits) {
      if (isUnlimited(limits)) return takeUncounted(tally, accountId, cost);
      if (clock.elapsed() - failedAtMs < retryMs) return takeAlone(accountId, cost, limits.callsPerMinute);
      try {
        return await shared.take(accountId, cost, limits);
      } catch {
        // It was reported, once for all that shared the statement.
        return takeAlone(accountId, cost, limits.callsPerMinute);
      }
    },
    async used(accountId) {
      try {
        const { used, today } = await shared.used(accountId);
        const waiting = Math.max(0, tally.waiting(accountId));
        return { ok: true, used: plus(used, waiting), today: today + waiting };
      } catch (cause) {
        return { ok: false, cause };
      }
    },
    close: () => tally.finish(),
  };
}

function takeUncounted(tally: Tally, accountId: number, cost: number): Taking {
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
