import type { PlanLimits, QuotaReservation } from '../../access/quota.ts';
import type { Deps } from '../../ports.ts';
import type { Context, Middleware } from '../context.ts';
import { ExceedsPlan, QuotaExceeded, RateLimited, toApiError } from '../errors/errors.ts';
import { quotaHeaders } from '../response/quota-headers.ts';

type QuotaDeps = Pick<Deps, 'quotas' | 'clock'>;

/** Charges one call, also for wrong parameters and unknown entities. Must come after the key. */
export function chargeOneCall(deps: QuotaDeps): Middleware {
  return (ctx, next) => chargeCalls(deps, ctx, 1, next);
}

/**
 * Reserves calls, runs work, and refunds the calls if it returns `refund` or fails with a 5xx or a 429. Throws
 * `RateLimited` or `QuotaExceeded` without enough calls left, and `ExceedsPlan` if the plan never has enough; nothing is
 * charged then.
 */
export async function chargeCalls(
  deps: QuotaDeps,
  ctx: Context,
  cost: number,
  work: () => Promise<unknown>,
): Promise<void> {
  const { caller } = ctx.state;
  if (caller === undefined) throw new Error('Calls can only be charged after the key was checked.');
  const reservation = await deps.quotas.reserve(caller.accountId, cost, caller.plan);
  const admitted = reservation.verdict === 'admitted';
  ctx.set(quotaHeaders(admitted ? cost : 0, reservation.status));
  if (!admitted) throw refusal(reservation, cost, caller.plan, deps.clock.now());
  ctx.state.cost = cost;
  const refund = async () => {
    // Work that failed because its caller left is still charged.
    if (ctx.res.destroyed) return;
    delete ctx.state.cost;
    ctx.set(quotaHeaders(0, await reservation.refund()));
  };
  try {
    if ((await work()) === 'refund') await refund();
  } catch (thrown) {
    const { status } = toApiError(thrown).reply;
    if (status >= 500 || status === 429) await refund();
    throw thrown;
  }
}

function refusal({ verdict, status }: QuotaReservation, cost: number, plan: PlanLimits, nowMs: number): Error {
  const { callsPerMinute, callsPerMonth } = plan;
  if (callsPerMinute !== null && cost > callsPerMinute) return new ExceedsPlan(cost, callsPerMinute, 'minute');
  if (callsPerMonth !== null && cost > callsPerMonth) return new ExceedsPlan(cost, callsPerMonth, 'month');
  if (verdict === 'quota_exceeded' && status.month !== null) return new QuotaExceeded(cost, status.month, nowMs);
  if (verdict === 'rate_limited' && status.minute !== null) return new RateLimited(cost, status.minute);
  return new Error(`a call was refused (${verdict}) by a limit that the plan does not have`);
}
