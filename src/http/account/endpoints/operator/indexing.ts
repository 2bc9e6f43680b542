import { z } from 'zod';
import type { GenerationState } from '../../../../account/operator.ts';
import { kindNames } from '../../../../kinds/kind.ts';
import type { Deps } from '../../../../ports.ts';
import type { Context } from '../../../context.ts';
import type { Endpoint } from '../../../endpoint.ts';
import { accountComponents, accountOperation } from '../../../openapi/account-operation.ts';
import { count, envelopeOf, instant } from '../../../openapi/components.ts';
import { parseParameters } from '../../../request/parameters.ts';
import { clientAborted } from '../../../server/on-finished.ts';
import { answer, fromStore } from '../../answer.ts';
import { accountPorts } from '../../console.ts';

const gates = ['slot', 'session', 'operator', 'records slot'] as const;

const generation = z
  .strictObject({
    kind: z.enum(kindNames),
    index: z.string(),
    state: z.string(),
    searched: z.boolean(),
    documents: count.nullable().describe('Null where Elasticsearch does not tell'),
    pending: count.nullable().describe('Changes that it does not have; counting stops at 100,000'),
    lag_seconds: z.number().nonnegative().nullable().describe('The age of the oldest of them'),
    halted: z.string().nullable().describe('Why it is not followed'),
    created_at: instant,
  })
  .register(accountComponents, { id: 'Generation' });

const deadLetter = z
  .strictObject({
    kind: z.enum(kindNames),
    generation: z.string(),
    entity_id: z.int(),
    reason: z.string(),
    attempts: count,
    at: instant,
  })
  .register(accountComponents, { id: 'DeadLetter' });

const verification = z
  .strictObject({
    generation: z.string(),
    at: instant,
    outcome: z
      .string()
      .describe('`equal`, `different`, `unjudged` (changes wait) or `incomplete` (stopped at too many differences)'),
    rows: count,
    differences: count,
    deep: z.boolean().describe('Whole documents, not only their hashes'),
  })
  .register(accountComponents, { id: 'Verification' });

const indexAnswer = envelopeOf(
  z.strictObject({
    generations: z.array(generation),
    dead_letters: z.array(deadLetter).describe('The latest'),
    dead_letters_total: count,
    verify: z
      .strictObject(Object.fromEntries(kindNames.map((kind) => [kind, verification.optional()])))
      .nullable()
      .describe("The last comparison of each kind's index with its table; null where there was none"),
  }),
).register(accountComponents, { id: 'IndexAnswer' });

/** GET /account/api/operator/index */
export const operatorIndex: Endpoint = {
  method: 'get',
  path: '/account/api/operator/index',
  gates,
  operation: () =>
    accountOperation({
      operationId: 'operatorIndex',
      tag: 'Operator',
      summary: 'What is searched, how far it is behind the tables, and what could not be indexed',
      gates,
      answer: indexAnswer,
    }),
  handler: (deps) => async (ctx) => {
    parseParameters(z.strictObject({}), ctx.querystring);
    const overview = fromStore(await accountPorts(deps).operator.index());
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
    answer(
      ctx,
      deps.clock,
      data,
      `${searched} of ${kindNames.length} kinds ${searched === 1 ? 'is' : 'are'} searched.`,
    );
  },
};

const countTimeoutMs = 1_000;
const counted = z.object({ hits: z.object({ total: z.object({ value: z.int() }) }) });

/** Documents that searches would see in an index; null where Elasticsearch does not answer, or has no such index. */
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
