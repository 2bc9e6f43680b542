import type { Pool } from 'pg';
import type { QuotaReservation, QuotaStore } from '../../access/quota.ts';
import { isUnlimited, unlimitedStatus } from '../../access/quota.ts';
import type { Clock } from '../../ports.ts';
import { createLocalQuotas } from './local-quotas.ts';
import { createSharedQuotas, plus } from './shared-quotas.ts';
import { createUncountedCalls, type UncountedCalls } from './uncounted-calls.ts';

/** All times in milliseconds. */
export interface QuotaSettings {
  /** After which a statement counts as failed. */
  readonly timeoutMs: number;
  /** Time for which calls of plans without limits are gathered. */
  readonly flushMs: number;
  /** Accounts that this process counts by itself while Postgres can't be asked. */
  readonly accountsMax: number;
}

/** After Postgres could not be asked, this process counts by itself for this long. */
const retryMs = 1_000;

/**
 * Counts the calls of accounts in Postgres, exactly and for all processes. Plans without limits are counted a
 * little later, without delaying a request. While Postgres is down, this process counts by itself.
 */
export function createQuotaStore(
  pool: Pool,
  settings: QuotaSettings,
  clock: Clock,
  onFailure: (cause: unknown) => void,
): QuotaStore & { close(): Promise<void> } {
  let failedAtMs = Number.NEGATIVE_INFINITY;
  const shared = createSharedQuotas(pool, settings.timeoutMs, (cause) => {
    failedAtMs = clock.elapsed();
    onFailure(cause);
  });
  const uncounted = createUncountedCalls(pool, settings.flushMs, onFailure);
  const reserveLocally = createLocalQuotas(settings.accountsMax, uncounted, clock);
  return {
    async reserve(accountId, cost, limits) {
      if (isUnlimited(limits)) return reserveUnlimited(uncounted, accountId, cost);
      if (clock.elapsed() - failedAtMs < retryMs) return reserveLocally(accountId, cost, limits.callsPerMinute);
      try {
        return await shared.reserve(accountId, cost, limits);
      } catch {
        // It was reported, once for all that shared the statement.
        return reserveLocally(accountId, cost, limits.callsPerMinute);
      }
    },
    async used(accountId) {
      try {
        const { used, today } = await shared.used(accountId);
        const waiting = Math.max(0, uncounted.waiting(accountId));
        return { ok: true, used: plus(used, waiting), today: today + waiting };
      } catch (cause) {
        return { ok: false, cause };
      }
    },
    close: () => uncounted.flush(),
  };
}

function reserveUnlimited(uncounted: UncountedCalls, accountId: number, cost: number): QuotaReservation {
  uncounted.add(accountId, { calls: cost });
  return {
    verdict: 'admitted',
    status: unlimitedStatus,
    async refund() {
      uncounted.add(accountId, { calls: -cost });
      return unlimitedStatus;
    },
  };
}
