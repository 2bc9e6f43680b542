import { LRUCache } from 'lru-cache';
import { type Standing, standingOf } from '../../access/allowance.ts';
import { currentMinute, minuteMs, type OwnMinute } from '../../access/own-minute.ts';
import type { Clock, Taking } from '../../ports.ts';
import type { Tally } from './quota-tally.ts';

/**
 * Counts the calls of accounts in this process alone, while Postgres can't be asked: a plan's minute, once for each
 * process. What was admitted is added to the month by the tally, afterwards.
 * @param accountsMax accounts counted at the same time
 */
export function createOwnCounts(
  accountsMax: number,
  tally: Pick<Tally, 'add'>,
  clock: Clock,
): (accountId: number, cost: number, perMinute: number | null) => Taking {
  const minutes = new LRUCache<number, OwnMinute>({ max: accountsMax });

  const minuteOf = (accountId: number) => currentMinute(minutes.get(accountId), clock.elapsed());

  function standing(accountId: number, perMinute: number | null): Standing {
    const { startedAtMs, used } = minuteOf(accountId);
    const minuteLeftMs = minuteMs - (clock.elapsed() - startedAtMs);
    const limits = { callsPerMinute: perMinute, callsPerMonth: null };
    return standingOf(limits, { minute: used, minuteLeftMs, month: 0, monthLeftMs: 0 });
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
      standing: standing(accountId, perMinute),
      async giveBack() {
        count(accountId, -cost);
        return standing(accountId, perMinute);
      },
    };
  };
}
