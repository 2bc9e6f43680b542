import { parseApiKey } from '../../access/api-key.ts';
import type { KeyRecord } from '../../access/keys.ts';
import { isDead } from '../../access/keys.ts';
import type { Deps } from '../../ports.ts';
import type { Context, Middleware } from '../context.ts';
import { KeyRefused, PlanInactive, ServiceUnavailable } from '../errors/errors.ts';

const bearer = /^bearer +(\S+) *$/i;

/**
 * Requires a valid key of an active account, and sets `caller`. Keys can't be guessed, so bad ones are not throttled:
 * most are refused without a lookup, and the lookups of the others share statements.
 */
export function requireKey(deps: Pick<Deps, 'keys' | 'keyUsage' | 'clock' | 'meter'>): Middleware {
  const { clock, keyUsage, meter } = deps;
  return async (ctx, next) => {
    ctx.set('X-Request-Cost', '0');
    const key = await findKey(deps, ctx);
    if (key === null || isDead(key, clock.now())) {
      meter.keyRefused('invalid');
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

async function findKey({ keys, meter }: Pick<Deps, 'keys' | 'meter'>, ctx: Context): Promise<KeyRecord | null> {
  const [, text = ''] = bearer.exec(ctx.get('Authorization')) ?? [];
  const given = parseApiKey(text);
  if (!given.ok) return null;
  const finding = await keys.find(given.hash);
  if (!finding.ok) {
    meter.keyRefused('unavailable');
    throw new ServiceUnavailable(finding.cause);
  }
  return finding.key;
}
