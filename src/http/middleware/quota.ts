import type { Deps, Taking } from '../../ports.ts';
import { QuotaExceeded, RateLimited, toApiError } from '../errors/errors.ts';
import { allowanceHeaders } from '../response/quota-headers.ts';
import type { Context } from '../state.ts';

/**
 * Does keyed work for its price: takes the calls before, and gives them back where the answer is a failure of ours
 * (5xx) or another limit's refusal (429). Throws `RateLimited` or `QuotaExceeded` where not enough calls are left; nothing is taken then.
 */
export async function counted(
  deps: Pick<Deps, 'calls' | 'clock'>,
  ctx: Context,
  cost: number,
  work: () => Promise<void>,
): Promise<void> {
  const { caller } = ctx.state;
  if (caller === undefined) throw new Error('counting comes after the key was checked');
  const taking = await deps.calls.take(caller.accountId, cost, caller.plan);
  const admitted = taking.verdict === 'admitted';
  ctx.set(allowanceHeaders(admitted ? cost : 0, taking.standing));
  if (!admitted) throw refusal(taking, cost, deps.clock.now());
  try {
    await work();
  } catch (thrown) {
    // Work that failed because its caller went away was done for that caller.
    const { status } = toApiError(thrown).reply;
    const free = (status >= 500 || status === 429) && !ctx.res.destroyed;
    if (free) ctx.set(allowanceHeaders(0, await taking.giveBack()));
    throw thrown;
  }
}

function refusal({ verdict, standing }: Taking, cost: number, nowMs: number): Error {
  if (verdict === 'quota_exceeded' && standing.month !== null) return new QuotaExceeded(cost, standing.month, nowMs);
  if (verdict === 'rate_limited' && standing.minute !== null) return new RateLimited(cost, standing.minute);
  return new Error(`a call was refused (${verdict}) by a limit that the plan does not have`);
}
