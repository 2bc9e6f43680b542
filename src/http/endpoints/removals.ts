import { z } from 'zod';
import { entityId, type KindName, kindNames } from '../../kinds/kind.ts';
import { oneOf, wholeNumber } from '../../lib/parameter-schemas.ts';
import { seal, unseal } from '../../lib/sealed-text.ts';
import { counted } from '../../lib/text/counted.ts';
import { instant } from '../../lib/wire-schema.ts';
import type { Deps } from '../../ports.ts';
import type { RemovalPlace } from '../../records/ports.ts';
import type { Middleware } from '../context.ts';
import type { Endpoint } from '../endpoint.ts';
import { InvalidRemovalsCursor, RemovalsUnknown, ServiceUnavailable } from '../errors/errors.ts';
import { components, entityKind, envelopeOf } from '../openapi/components.ts';
import { jsonContent } from '../openapi/responses.ts';
import { queryParameters } from '../openapi/to-schema.ts';
import { parseParameters } from '../request/parameters.ts';
import { answerJson, envelope } from '../response/json.ts';

const limitMax = 1_000;
const limitPreset = 100;
/** Longer than every cursor of this service, which holds a number and an epoch. */
const cursorCharactersMax = 500;

const parameters = z.strictObject({
  type: oneOf(kindNames),
  cursor: z
    .string()
    .min(1, { error: 'is empty; leave it out for the first cursor' })
    .max(cursorCharactersMax, { error: 'is too long; send data.nextCursor unchanged' })
    .optional(),
  limit: wholeNumber(1, limitMax).default(limitPreset),
});

const removal = z
  .strictObject({
    entity_type: entityKind,
    id: entityId,
    removed_at: instant.describe('When the removal was noticed, at most seconds after its commit'),
  })
  .register(components, { id: 'Removal' });

const answer = envelopeOf(
  z.strictObject({
    results: z.array(removal).max(limitMax).describe('In the order of removal; may be empty although hasMore is true'),
    nextCursor: z.string().describe('Value of the parameter "cursor" for the next request; keep it'),
    hasMore: z.boolean().describe('True if there are more removals'),
  }),
).register(components, { id: 'RemovalsAnswer' });

/** GET /api/v1/removals */
export const removals: Endpoint = {
  method: 'get',
  path: '/api/v1/removals',
  gates: ['slot', 'key', 'records slot', 'one call'],
  errors: ['invalid_cursor', 'removals_unknown'],
  countedAs: 'records',
  operation: () => ({
    operationId: 'removals',
    tag: 'Records',
    summary: 'List removed entities',
    description:
      'For programs that keep a copy. Without a cursor, the answer has no removals and a cursor for this moment. With that cursor, it has the entities removed since. An entity that exists again is left out. Costs one call.',
    parameters: queryParameters(parameters, {
      type: { text: 'The kind of entities.', example: 'companies' },
      cursor: { text: 'data.nextCursor of an earlier answer for the same type. Valid for 30 days.' },
      limit: { text: 'Maximum number of removals.' },
    }),
    content: jsonContent(answer),
  }),
  llms: `\`GET /api/v1/removals?type=companies&cursor=...\`: ids that are gone, for programs that keep a copy; the first call, without
  a cursor, gives the cursor of this moment as \`data.nextCursor\`. \`limit\` 1 to 1000.`,
  handler: removalsHandler,
};

function removalsHandler({ config, clock, entities }: Deps): Middleware {
  return async (ctx) => {
    const { type, cursor, limit } = parseParameters(parameters, ctx.querystring);
    const secret = config.search.cursorSecret;
    const after = cursor === undefined ? null : unseal(cursor, form(type), place, secret);
    if (cursor !== undefined && after === null) throw new InvalidRemovalsCursor();
    const fetched = await entities.removals(type, after, limit);
    if (!fetched.ok && fetched.reason !== 'failed') throw new ServiceUnavailable(fetched.cause);
    if (!fetched.ok) throw new Error('removals could not be fetched', { cause: fetched.cause });
    if (fetched.value === null) throw new RemovalsUnknown();
    const { next, hasMore } = fetched.value;
    const results = fetched.value.removals.map(({ id, removedAt }) => ({
      entity_type: type,
      id,
      removed_at: removedAt,
    }));
    const data = { results, nextCursor: seal(JSON.stringify(next), form(type), secret), hasMore };
    const message = `Found ${counted(results.length, 'removal', 'removals')}.`;
    answerJson(ctx, envelope(data, message, ctx.state.requestId, clock));
  };
}

const place: z.ZodType<RemovalPlace> = z.strictObject({ epoch: z.string(), number: z.int().nonnegative() });

/** A cursor is good for one kind. */
function form(kind: KindName) {
  return { purpose: 'removals', version: '2', sealedFor: kind } as const;
}
