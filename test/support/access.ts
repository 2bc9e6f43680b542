import { type PlanLimits, type Standing, standingOf } from '../../src/access/allowance.ts';
import type { CallCounter, Deps } from '../../src/ports.ts';
import type { EntityStore } from '../../src/records/ports.ts';

const notThere = { ok: false, reason: 'unreachable', cause: new Error('no entities in this test') } as const;

/** No entities at all: Postgres is not there. */
export const noEntities: EntityStore = {
  record: async () => notThere,
  records: async () => notThere,
  existing: async () => notThere,
  count: async () => notThere,
};

/** Counts one account's calls in memory: one minute and one month that never end. */
export function countInMemory(): CallCounter & { used(): ReturnType<CallCounter['used']> } {
  let used = 0;
  const now = () => ({ minute: used, minuteLeftMs: 59_001, month: used, monthLeftMs: 864_000_000 });
  const standing = (limits: PlanLimits): Standing => standingOf(limits, now());
  return {
    async take(_accountId, cost, limits) {
      if (used + cost > (limits.callsPerMonth ?? Number.POSITIVE_INFINITY)) {
        return { verdict: 'quota_exceeded', standing: standing(limits), giveBack: async () => standing(limits) };
      }
      if (used + cost > (limits.callsPerMinute ?? Number.POSITIVE_INFINITY)) {
        return { verdict: 'rate_limited', standing: standing(limits), giveBack: async () => standing(limits) };
      }
      used += cost;
      return {
        verdict: 'admitted',
        standing: standing(limits),
        async giveBack() {
          used -= cost;
          return standing(limits);
        },
      };
    },
    used: async () => ({ ok: true, used: now(), today: used }),
  };
}

/** Admits every call. */
const admitting: CallCounter = {
  async take(_accountId, cost, limits) {
    const standing = standingOf(limits, { minute: cost, minuteLeftMs: 60_000, month: cost, monthLeftMs: 864_000_000 });
    return { verdict: 'admitted', standing, giveBack: async () => standing };
  },
  used: countInMemory().used,
};

/** What keyed routes need beside keys, for tests that are about other things. */
export function plainAccess(): Pick<Deps, 'keyUse' | 'calls' | 'entities'> {
  return { keyUse: { note: () => undefined }, calls: admitting, entities: noEntities };
}
