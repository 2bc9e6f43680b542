import type { QuotaStore } from '../../../src/access/quota.ts';
import { type PlanLimits, type QuotaStatus, quotaStatus } from '../../../src/access/quota.ts';
import type { Deps } from '../../../src/ports.ts';
import type { EntityStore } from '../../../src/records/ports.ts';

const notThere = { ok: false, reason: 'unreachable', cause: new Error('no entities in this test') } as const;

/** A source without entities, as if Postgres were down. */
export const noEntities: EntityStore = {
  record: async () => notThere,
  records: async () => notThere,
  existing: async () => notThere,
  related: async () => notThere,
  removals: async () => notThere,
};

/** Counts one account's calls in memory: one minute and one month that never end. */
export function countInMemory(): QuotaStore & { used(): ReturnType<QuotaStore['used']> } {
  let used = 0;
  const now = () => ({ minute: used, minuteLeftMs: 59_001, month: used, monthLeftMs: 864_000_000 });
  const status = (limits: PlanLimits): QuotaStatus => quotaStatus(limits, now());
  return {
    async reserve(_accountId, cost, limits) {
      if (used + cost > (limits.callsPerMonth ?? Number.POSITIVE_INFINITY)) {
        return { verdict: 'quota_exceeded', status: status(limits), refund: async () => status(limits) };
      }
      if (used + cost > (limits.callsPerMinute ?? Number.POSITIVE_INFINITY)) {
        return { verdict: 'rate_limited', status: status(limits), refund: async () => status(limits) };
      }
      used += cost;
      return {
        verdict: 'admitted',
        status: status(limits),
        async refund() {
          used -= cost;
          return status(limits);
        },
      };
    },
    used: async () => ({ ok: true, used: now(), today: used }),
  };
}

/** Admits every call. */
const admitting: QuotaStore = {
  async reserve(_accountId, cost, limits) {
    const status = quotaStatus(limits, { minute: cost, minuteLeftMs: 60_000, month: cost, monthLeftMs: 864_000_000 });
    return { verdict: 'admitted', status: status, refund: async () => status };
  },
  used: countInMemory().used,
};

/** The ports of keyed routes except keys, for tests of other subjects. */
export function plainAccess(): Pick<Deps, 'keyUsage' | 'quotas' | 'calls' | 'entities'> {
  return {
    keyUsage: { record: () => undefined },
    quotas: admitting,
    calls: { record: () => undefined },
    entities: noEntities,
  };
}
