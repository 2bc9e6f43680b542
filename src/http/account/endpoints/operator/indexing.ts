import { z } from 'zod';
import { deadLetter, generation, indexState, verification } from '../../../../account/answers.ts';
import type { GenerationState } from '../../../../account/data.ts';
import { kindNames } from '../../../../kinds/kind.ts';
import type { Deps } from '../../../../ports.ts';
import type { Context } from '../../../context.ts';
import { accountComponents } from '../../../openapi/components.ts';
import { clientAborted } from '../../../server/on-finished.ts';
import { accountEndpoint } from '../../account-endpoint.ts';

generation.register(accountComponents, { id: 'Generation' });
deadLetter.register(accountComponents, { id: 'DeadLetter' });
verification.register(accountComponents, { id: 'Verification' });

export const operatorIndex = accountEndpoint({
  method: 'get',
  path: 'operator/index',
  gates: ['slot', 'session', 'operator', 'records slot'],
  answer: indexState,
  summary: 'The indices, their lag behind the tables, and entities that could not be indexed',
  handler: async ({ account, ctx, deps }) => {
    const overview = await account.operator.index();
    const generations = await Promise.all(
      overview.generations.map(async (one) => ({ ...one, documents: await countDocuments(deps, ctx, one) })),
    );
    const verified = overview.verifications.map(({ kind, ...found }) => [kind, found] as const);
    const data = {
      generations,
      dead_letters: overview.dead_letters,
      dead_letters_total: overview.dead_letters_total,
      verify: verified.length === 0 ? null : Object.fromEntries(verified),
    };
    const searched = generations.filter((one) => one.searched).length;
    return [data, `${searched} of ${kindNames.length} kinds ${searched === 1 ? 'is' : 'are'} searched.`];
  },
});

const countTimeoutMs = 1_000;
const counted = z.object({ hits: z.object({ total: z.object({ value: z.int() }) }) });

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
  return counted.safeParse(reply.body).data?.hits.total.value ?? null;
}
