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

export interface ToolAnswer {
  /** Data for programs, which matches the tool's output schema. */
  readonly data: Json;
  /** Set if a charged call could not fetch anything. */
  readonly failed?: true;
}

/** A tool with its descriptions and its handler. `tools.ts` lists all of them. */
export interface Tool {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  /** JSON Schema of the arguments, from the schema of the tool's HTTP route. */
  input(): Json;
  /** JSON Schema of the answer's data, and of errors. */
  readonly output: Json;
  /** Charges and counts the call like a request to the route. Throws the route's errors. */
  handler(deps: Deps): (ctx: Context, args: ToolArguments) => Promise<ToolAnswer>;
}

/** Runs work behind the gates of an HTTP route. */
export type Charged = <Answer>(ctx: Context, work: () => Promise<Answer>) => Promise<Answer>;

/** Returns the gates of an HTTP route after the key: counting, a slot of the engine, and one call. */
export function chargedAs(deps: Deps, countedAs: CallEndpoint, limiter: ConcurrencyLimiter): Charged {
  const gates = compose([countCalls(deps, countedAs), limitConcurrency(limiter), chargeOneCall(deps)]);
  return async (ctx, work) => {
    const { promise, resolve } = Promise.withResolvers<Awaited<ReturnType<typeof work>>>();
    await gates(ctx, async () => resolve(await work()));
    return promise;
  };
}
