import { z } from 'zod';
import { generation, indexState } from '../../../../account/answers.ts';
import type { GenerationState } from '../../../../account/data.ts';
import { counted } from '../../../../lib/text/counted.ts';
import type { Deps } from '../../../../ports.ts';
import type { Context } from '../../../context.ts';
import { accountComponents } from '../../../openapi/components.ts';
import { clientAborted } from '../../../server/on-finished.ts';
import { accountEndpoint } from '../../account-endpoint.ts';

generation.register(accountComponents, { id: 'Generation' });

export const operatorIndex = accountEndpoint({
  method: 'get',
  path: 'operator/index',
  gates: ['slot', 'session', 'operator', 'records slot'],
  answer: indexState,
  summary: 'The indices, their lag behind the tables, and their last verification',
  handler: async ({ account, ctx, deps }) => {
    const found = await account.operator.index();
    const generations = await Promise.all(
      found.map(async (one) => ({ ...one, documents: await countDocuments(deps, ctx, one) })),
    );
    return [{ generations }, `${counted(generations.length, 'index', 'indices')}.`];
  },
});

const countTimeoutMs = 1_000;
const total = z.object({ hits: z.object({ total: z.object({ value: z.int() }) }) });

/** Counts the documents of an index; null if Elasticsearch does not answer or has no such index. */
async function countDocuments({ search }: Deps, ctx: Context, { index }: GenerationState): Promise<number | null> {
  const reply = await search.search({
    indices: [index],
    body: { size: 0, track_total_hits: true },
    filterPath: 'hits.total',
    timeoutMs: countTimeoutMs,
    signal: clientAborted(ctx),
  });
  if (!reply.ok) return null;
  return total.safeParse(reply.body).data?.hits.total.value ?? null;
}
