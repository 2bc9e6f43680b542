import { parseApiKey } from '../../access/api-key.ts';
import { judgeKey } from '../../access/verdict.ts';
import type { Deps, KeyRecord } from '../../ports.ts';
import { KeyRefused, PlanInactive, ServiceUnavailable } from '../errors/errors.ts';
import { slowRefusals } from '../request/refusals.ts';
import type { Context, Middleware } from '../state.ts';

const bearer = /^bearer +(\S+) *$/i;

/**
 * Lets through who sends a living key of an active account, and says in the state who it is. Bad keys in numbers are
 * answered slowly.
 */
export function requireKey(deps: Pick<Deps, 'keys' | 'keyUse' | 'clock' | 'config' | 'meter'>): Middleware {
  const { clock, keyUse, meter } = deps;
  const slow = slowRefusals(deps.config.badKeys, clock);
  return async (ctx, next) => {
    ctx.set('X-Request-Cost', '0');
    const key = await findKey(deps, ctx);
    const verdict = judgeKey(key, clock.now());
    if (verdict === 'refused' || key === null) {
      meter.keyRefused('invalid');
      await slow(ctx);
      throw new KeyRefused();
    }
    ctx.state.caller = key;
    if (verdict === 'inactive') {
      meter.keyRefused('inactive');
      throw new PlanInactive();
    }
    keyUse.note(key.keyId);
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
