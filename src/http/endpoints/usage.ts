import { z } from 'zod';
import { quotaStatus } from '../../access/quota.ts';
import { toSeconds } from '../../lib/durations.ts';
import type { Deps } from '../../ports.ts';
import type { Middleware } from '../context.ts';
import { ServiceUnavailable } from '../errors/errors.ts';
import { parseParameters } from '../request/parameters.ts';
import { envelope } from '../response/envelope.ts';
import { answerJson } from '../response/json.ts';
import { quotaHeaders } from '../response/quota-headers.ts';

export const usageParameters = z.strictObject({});

/** GET /api/v1/usage: the caller's plan, its limits and what is used of them. Costs nothing. */
export function usageEndpoint(deps: Deps): Middleware {
  return async (ctx) => {
    parseParameters(usageParameters, ctx.querystring);
    const { caller } = ctx.state;
    if (caller === undefined) throw new Error('usage comes after the key was checked');
    const { accountId, plan } = caller;
    const finding = await deps.quotas.used(accountId);
    if (!finding.ok) throw new ServiceUnavailable(finding.cause);
    const { used, today } = finding;
    ctx.set(quotaHeaders(0, quotaStatus(plan, used)));
    const data = {
      plan: plan.name,
      limits: { calls_per_minute: plan.callsPerMinute, calls_per_month: plan.callsPerMonth },
      used: { this_minute: used.minute, today, this_month: used.month },
      resets_in_seconds: { minute: toSeconds(used.minuteLeftMs), month: toSeconds(used.monthLeftMs) },
    };
    const message = `${used.month} calls were used this month, ${used.minute} of them in this minute.`;
    answerJson(ctx, envelope(data, message, ctx.state.requestId, deps.clock));
  };
}
