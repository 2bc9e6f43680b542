import { parseApiKey } from '../../access/api-key.ts';
import type { KeyRecord } from '../../access/keys.ts';
import { isDead } from '../../access/keys.ts';
import type { Deps } from '../../ports.ts';
import type { Context, Middleware } from '../context.ts';
import { KeyRefused, PlanInactive, ServiceUnavailable } from '../errors/errors.ts';
import { throttleRefusals } from '../request/throttle-refusals.ts';
import { withSlot } from './load.ts';

const bearer = /^bearer +(\S+) *$/i;

/** Requires a valid key of an active account, and sets `caller`. Answers to many bad keys are delayed. */
export function requireKey(
  deps: Pick<Deps, 'keys' | 'keyUsage' | 'clock' | 'config' | 'limiters' | 'meter'>,
): Middleware {
  const { clock, keyUsage, meter } = deps;
  const slow = throttleRefusals(deps.config.refusals, clock);
  return async (ctx, next) => {
    ctx.set('X-Request-Cost', '0');
    const key = await findKey(deps, ctx);
    if (key === null || isDead(key, clock.now())) {
      meter.keyRefused('invalid');
      await slow(ctx);
      throw new KeyRefused();
    }
    ctx.state.caller = key;
    ctx.state.callerClass = 'keyed';
    // Only the owner of a valid key learns that the account or its plan is not active.
    if (!key.accountActive || !key.plan.active) {
      meter.keyRefused('inactive');
      throw new PlanInactive(key.accountActive ? 'plan' : 'account');
    }
    keyUsage.record(key.keyId);
    await next();
  };
}

async function findKey(
  { keys, limiters, meter }: Pick<Deps, 'keys' | 'limiters' | 'meter'>,
  ctx: Context,
): Promise<KeyRecord | null> {
  const [, text = ''] = bearer.exec(ctx.get('Authorization')) ?? [];
  const given = parseApiKey(text);
  if (!given.ok) return null;
  const finding = await withSlot(limiters.identities, ctx, () => keys.find(given.hash));
  if (!finding.ok) {
    meter.keyRefused('unavailable');
    throw new ServiceUnavailable(finding.cause);
  }
  return finding.key;
}
