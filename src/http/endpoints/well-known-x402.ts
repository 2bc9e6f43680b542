import { paidSearchPath } from '../../payments/protocol/required.ts';
import type { Deps } from '../../ports.ts';
import type { Middleware } from '../context.ts';
import { RouteNotFound } from '../errors/errors.ts';
import { publicUrlOf } from '../payments/paywall.ts';
import { answerJson } from '../response/json.ts';

const keptSeconds = 3_600;

/** GET /.well-known/x402: what is sold here, for registries. The live 402 says the price. */
export function wellKnownX402Endpoint({ paid }: Pick<Deps, 'paid'>): Middleware {
  return (ctx) => {
    if (paid === null) throw new RouteNotFound();
    ctx.set('Cache-Control', `public, max-age=${keptSeconds}`);
    answerJson(ctx, { version: 1, resources: [publicUrlOf(ctx, paid) + paidSearchPath] });
  };
}
