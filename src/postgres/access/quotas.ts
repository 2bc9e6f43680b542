import type { Pool } from 'pg';
import type { QuotaReservation, QuotaStore } from '../../access/quota.ts';
import { isUnlimited, unlimitedStatus } from '../../access/quota.ts';
import type { Clock } from '../../ports.ts';
import { createLocalQuotas } from './local-quotas.ts';
import { createSharedQuotas, plus } from './shared-quotas.ts';
import { createUncountedCalls, type UncountedCalls } from './uncounted-calls.ts';

/** All times in milliseconds. */
export interface QuotaSettings {
  /** Time after which a statement has failed. */
  readonly timeoutMs: number;
  /** Time for which calls of plans without limits are collected. */
  readonly flushMs: number;
  /** Maximum number of accounts that this process counts by itself while Postgres is down. */
  readonly accountsMax: number;
}

/** After a failure of Postgres, this process counts by itself for this long. */
const retryMs = 1_000;

/**
 * Counts the calls of accounts in Postgres, exactly and for all processes. For plans without limits, counting doesn't
 * delay the request. While Postgres is down, this process counts by itself.
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
        // The failure was reported once for all calls that shared the statement.
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
