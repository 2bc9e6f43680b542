import { z } from 'zod';
import type { Caller } from '../../access/keys.ts';
import { quotaStatus, usageShape } from '../../access/quota.ts';
import { toSeconds } from '../../lib/durations.ts';
import { counted } from '../../lib/text/counted.ts';
import type { Deps } from '../../ports.ts';
import type { Middleware } from '../context.ts';
import type { Endpoint } from '../endpoint.ts';
import { ServiceUnavailable } from '../errors/errors.ts';
import { components, envelopeOf } from '../openapi/components.ts';
import { jsonContent } from '../openapi/responses.ts';
import { parseParameters } from '../request/parameters.ts';
import { answerJson, envelope } from '../response/json.ts';
import { quotaHeaders } from '../response/quota-headers.ts';

const usageAnswer = envelopeOf(z.strictObject(usageShape)).register(components, { id: 'UsageAnswer' });

/** GET /api/v1/usage */
export const usage: Endpoint = {
  method: 'get',
  path: '/api/v1/usage',
  gates: ['slot', 'key', 'records slot'],
  countedAs: 'usage',
  operation: () => ({
    operationId: 'usage',
    tag: 'Account',
    summary: 'Get limits and usage',
    description: 'Costs nothing.',
    content: jsonContent(usageAnswer),
  }),
  llms: '`GET /api/v1/usage`: limits of the plan and the calls used; free.',
  handler: usageHandler,
};

function usageHandler(deps: Deps): Middleware {
  return async (ctx) => {
    parseParameters(z.strictObject({}), ctx.querystring);
    const { caller } = ctx.state;
    if (caller === undefined) throw new Error('usage comes after the key was checked');
    const { status, data, message } = await readUsage(deps, caller);
    ctx.set(quotaHeaders(0, status));
    answerJson(ctx, envelope(data, message, ctx.state.requestId, deps.clock));
  };
}

/** Returns an account's usage of its plan. Throws `ServiceUnavailable` if Postgres does not answer. */
export async function readUsage({ quotas }: Pick<Deps, 'quotas'>, { accountId, plan }: Caller) {
  const finding = await quotas.used(accountId);
  if (!finding.ok) throw new ServiceUnavailable(finding.cause);
  const { used, today } = finding;
  const data = {
    plan: plan.name,
    limits: { calls_per_minute: plan.callsPerMinute, calls_per_month: plan.callsPerMonth },
    used: { this_minute: used.minute, today, this_month: used.month },
    resets_in_seconds: { minute: toSeconds(used.minuteLeftMs), month: toSeconds(used.monthLeftMs) },
  };
  const message = `${counted(used.month, 'call was', 'calls were')} used this month, ${used.minute} in this minute.`;
  return { status: quotaStatus(plan, used), data, message };
}
