import { parseApiKey } from '../../access/api-key.ts';
import { judgeKey } from '../../access/verdict.ts';
import type { Deps } from '../../deps.ts';
import { KeyRefused, PlanInactive, ServiceUnavailable } from '../errors.ts';
import type { Middleware } from '../state.ts';

const bearer = /^bearer +(\S+) *$/i;

/** Lets through who sends a living key of an active account, and says in the state who it is. */
export function requireKey({ keys, clock }: Pick<Deps, 'keys' | 'clock'>): Middleware {
  return async (ctx, next) => {
    const [, text = ''] = bearer.exec(ctx.get('Authorization')) ?? [];
    const given = parseApiKey(text);
    if (!given.ok) throw new KeyRefused();
    const finding = await keys.find(given.hash);
    if (!finding.ok) throw new ServiceUnavailable(finding.cause);
    const verdict = judgeKey(finding.key, clock.now());
    if (verdict === 'refused' || finding.key === null) throw new KeyRefused();
    ctx.state.caller = finding.key;
    if (verdict === 'inactive') throw new PlanInactive();
    await next();
  };
}
