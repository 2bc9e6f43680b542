import { LRUCache } from 'lru-cache';
import { currentMinute, minuteMs, type OwnMinute } from '../../access/own-minute.ts';
import { type QuotaStatus, quotaStatus } from '../../access/quota.ts';
import type { Clock, QuotaReservation } from '../../ports.ts';
import type { UncountedCalls } from './uncounted-calls.ts';

/**
 * Counts the calls of accounts in this process alone, while Postgres can't be asked: a plan's minute, once for each
 * process. What was admitted is added to the month by the tally, afterwards.
 * @param accountsMax accounts counted at the same time
 */
export function createLocalQuotas(
  accountsMax: number,
  tally: Pick<UncountedCalls, 'add'>,
  clock: Clock,
): (accountId: number, cost: number, perMinute: number | null) => QuotaReservation {
  const minutes = new LRUCache<number, OwnMinute>({ max: accountsMax });

  const minuteOf = (accountId: number) => currentMinute(minutes.get(accountId), clock.elapsed());

  function status(accountId: number, perMinute: number | null): QuotaStatus {
    const { startedAtMs, used } = minuteOf(accountId);
    const minuteLeftMs = minuteMs - (clock.elapsed() - startedAtMs);
    const limits = { callsPerMinute: perMinute, callsPerMonth: null };
    return quotaStatus(limits, { minute: used, minuteLeftMs, month: 0, monthLeftMs: 0 });
  }

  function count(accountId: number, calls: number): void {
    const { startedAtMs, used } = minuteOf(accountId);
    minutes.set(accountId, { startedAtMs, used: Math.max(0, used + calls) });
    tally.add(accountId, { late: calls });
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
