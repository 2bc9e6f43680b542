import { LRUCache } from 'lru-cache';
import { type QuotaReservation, type QuotaStatus, quotaStatus } from '../../access/quota.ts';
import { minuteMs } from '../../lib/durations.ts';
import type { Clock } from '../../ports.ts';
import type { UncountedCalls } from './uncounted-calls.ts';

/** A minute that this process counts by itself, from its first call on. `startedAtMs` is on the monotonic clock. */
interface Minute {
  readonly startedAtMs: number;
  readonly used: number;
}

/**
 * Counts the calls of accounts in this process while Postgres is down. Each process admits a plan's calls per minute.
 * Admitted calls are added to the month later.
 * @param accountsMax accounts counted at the same time
 */
export function createLocalQuotas(
  accountsMax: number,
  uncounted: Pick<UncountedCalls, 'add'>,
  clock: Clock,
): (accountId: number, cost: number, perMinute: number | null) => QuotaReservation {
  const minutes = new LRUCache<number, Minute>({ max: accountsMax });

  function minuteOf(accountId: number): Minute {
    const nowMs = clock.elapsed();
    const minute = minutes.get(accountId);
    return minute !== undefined && nowMs - minute.startedAtMs < minuteMs ? minute : { startedAtMs: nowMs, used: 0 };
  }

  function status(accountId: number, perMinute: number | null): QuotaStatus {
    const { startedAtMs, used } = minuteOf(accountId);
    const minuteLeftMs = minuteMs - (clock.elapsed() - startedAtMs);
    const limits = { callsPerMinute: perMinute, callsPerMonth: null };
    return quotaStatus(limits, { minute: used, minuteLeftMs, month: 0, monthLeftMs: 0 });
  }

  function count(accountId: number, calls: number): void {
    const { startedAtMs, used } = minuteOf(accountId);
    minutes.set(accountId, { startedAtMs, used: Math.max(0, used + calls) });
    uncounted.add(accountId, { late: calls });
  }

  return (accountId, cost, perMinute) => {
    const fits = perMinute === null || minuteOf(accountId).used + cost <= perMinute;
    if (fits) count(accountId, cost);
    return {
      verdict: fits ? 'admitted' : 'rate_limited',
      status: status(accountId, perMinute),
      async refund() {
        count(accountId, -cost);
        return status(accountId, perMinute);
      },
    };
  };
}
