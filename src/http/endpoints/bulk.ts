import { causeText } from '../../lib/log.ts';
import type { Deps } from '../../ports.ts';
import { type BulkRequest, bulkCost, bulkRequest } from '../../records/bulk-request.ts';
import { type BulkOutcome, bulkData, bulkMessage, executeBulk } from '../../records/bulk-response.ts';
import { stringifyPieces } from '../../records/raw-json.ts';
import type { Context, Middleware } from '../context.ts';
import { ServiceUnavailable } from '../errors/errors.ts';
import { withSlot } from '../middleware/load.ts';
import { chargeCalls } from '../middleware/quota.ts';
import { readJson } from '../request/read-json.ts';
import { envelope } from '../response/envelope.ts';
import { answerJsonText } from '../response/json.ts';

/** POST /api/v1/bulk. Counts its own calls: what it costs stands in the body. */
export function bulkEndpoint(deps: Deps): Middleware {
  return async (ctx) => {
    const startedMs = deps.clock.elapsed();
    // Before a slot is taken: whoever sends slowly holds none.
    const request = await read(deps, ctx);
    const answer = async (): Promise<void> => {
      const outcome = await run(deps, ctx, request);
      const timing = { processedAtMs: deps.clock.now(), tookMs: deps.clock.elapsed() - startedMs };
      const data = bulkData(request, outcome, timing);
      answerJsonText(
        ctx,
        ...stringifyPieces(envelope(data, bulkMessage(request, outcome), ctx.state.requestId, deps.clock)),
      );
    };
    const cost = bulkCost(request.identifiers.values.length);
    await withSlot(deps.limiters.records, ctx, () => chargeCalls(deps, ctx, cost, answer));
  };
}

/** A body that can't be served costs one call, as other wrong requests do. */
async function read(deps: Deps, ctx: Context): Promise<BulkRequest> {
  try {
    return await readJson(ctx, bulkRequest, deps.config.http.bodyMaxBytes);
  } catch (thrown) {
    await chargeCalls(deps, ctx, 1, () => Promise.reject(thrown));
    throw thrown;
  }
}

async function run(deps: Deps, ctx: Context, request: BulkRequest): Promise<BulkOutcome | 'timeout' | 'failed'> {
  const fetched = await executeBulk(request, deps.entities);
  if (fetched.ok) return fetched.value;
  if (fetched.reason === 'unreachable') throw new ServiceUnavailable(fetched.cause);
  const { operation, entity_type } = request;
  ctx.state.log.error(
    { operation, entity_type, reason: fetched.reason, cause: causeText(fetched.cause) },
    'bulk fetch failed',
  );
  return fetched.reason;
}
