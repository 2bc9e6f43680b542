import compose from 'koa-compose';
import type { CallEndpoint } from '../../../access/calls.ts';
import type { ConcurrencyLimiter } from '../../../lib/concurrency/limiter.ts';
import type { Json } from '../../../lib/wire-schema.ts';
import type { Deps } from '../../../ports.ts';
import type { Context } from '../../context.ts';
import { countCalls } from '../../middleware/count-calls.ts';
import { limitConcurrency } from '../../middleware/load.ts';
import { chargeOneCall } from '../../middleware/quota.ts';
import type { ToolArguments } from '../tool-arguments.ts';

/** What came of a call. */
export interface ToolAnswer {
  /** For programs, as the tool's output schema says. */
  readonly data: Json;
  /** For models: the same in few words. */
  readonly text: string;
  /** Set where nothing could be fetched, and the call was charged all the same. */
  readonly failed?: true;
}

/** One tool: what models are told of it, and who answers. `tools.ts` lists them all. */
export interface Tool {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  /** JSON Schema of the arguments, from the schema of the HTTP route that the tool stands for. */
  input(): Json;
  /** JSON Schema of the answer's data, likewise. */
  output(): Json;
  /** Charges and counts the call as a request to that route. Throws what the route answers with an error. */
  handler(deps: Deps): (ctx: Context, args: ToolArguments) => Promise<ToolAnswer>;
}

/** Work behind the gates of an HTTP route. */
export type Charged = <Answer>(ctx: Context, work: () => Promise<Answer>) => Promise<Answer>;

/** The gates that the HTTP routes have behind the key: counted for the account, a slot of the engine, one call. */
export function chargedAs(deps: Deps, countedAs: CallEndpoint, limiter: ConcurrencyLimiter): Charged {
  const gates = compose([countCalls(deps, countedAs), limitConcurrency(limiter), chargeOneCall(deps)]);
  return async (ctx, work) => {
    const { promise, resolve } = Promise.withResolvers<Awaited<ReturnType<typeof work>>>();
    await gates(ctx, async () => resolve(await work()));
    return promise;
  };
}
