import { z } from 'zod';
import { recordFields } from '../../kinds/fields.ts';
import { entityId } from '../../kinds/kind.ts';
import { kinds } from '../../kinds/registry.ts';
import { causeText } from '../../lib/log.ts';
import { memberOf } from '../../lib/parameter-schemas.ts';
import { count, instant, type Json } from '../../lib/wire-schema.ts';
import type { Deps } from '../../ports.ts';
import {
  type BulkRequest,
  bulkCost,
  bulkKinds,
  bulkRequest,
  idIdentifier,
  slugIdentifier,
} from '../../records/bulk-request.ts';
import { type BulkFailure, type BulkOutcome, bulkData, bulkMessage, executeBulk } from '../../records/bulk-response.ts';
import { stringifyPieces } from '../../records/raw-json.ts';
import type { Context, Middleware } from '../context.ts';
import type { Endpoint } from '../endpoint.ts';
import { ServiceUnavailable } from '../errors/errors.ts';
import { bodyOf } from '../middleware/bodies.ts';
import { withSlot } from '../middleware/load.ts';
import { chargeCalls } from '../middleware/quota.ts';
import { components, envelopeOf, milliseconds, records, someOf } from '../openapi/components.ts';
import { pascalCase } from '../openapi/name-schemas.ts';
import { jsonContent, schemaRef } from '../openapi/responses.ts';
import { toSchema } from '../openapi/to-schema.ts';
import { checkBody, objectOf } from '../request/read-json.ts';
import { answerJsonText, envelope } from '../response/json.ts';

const bulkKind = z.enum(bulkKinds).register(components, { id: 'BulkKind' });
const bulkFailure = z
  .strictObject({ entity_type: bulkKind, error: z.string() })
  .register(components, { id: 'BulkFailure' });
const bulkParts = {
  entity_type: bulkKind,
  requested_count: z.int().positive(),
  errors: z.array(bulkFailure).optional().describe('There when the entities could not be fetched'),
};
const existence = z
  .strictObject({
    id: entityId.nullable().describe('Null for a slug that nothing has'),
    slug: z.string().optional().describe('There when slugs were sent'),
    exists: z.boolean(),
  })
  .register(components, { id: 'Existence' });
const counted = z.strictObject({ count: count.nullable() }).register(components, { id: 'ExistingCount' });
const oneKey = 'One key: the entity_type';

const bulkGet = z
  .strictObject({
    operation: z.literal('get'),
    ...bulkParts,
    results: z
      .strictObject(Object.fromEntries(bulkKinds.map((kind) => [kind, z.array(records[kind]).optional()])))
      .describe(oneKey),
    metadata: z.strictObject({ processed_at: instant, processing_time_ms: milliseconds }),
  })
  .register(components, { id: 'BulkGet' });
const bulkExists = z
  .strictObject({
    operation: z.literal('exists'),
    ...bulkParts,
    results: someOf(bulkKinds, z.array(existence)).describe(oneKey),
  })
  .register(components, { id: 'BulkExists' });
const bulkCount = z
  .strictObject({
    operation: z.literal('count'),
    ...bulkParts,
    results: someOf(bulkKinds, counted).describe(`${oneKey}; the count is null where it could not be made`),
  })
  .register(components, { id: 'BulkCount' });

const bulkAnswer = envelopeOf(
  z.discriminatedUnion('operation', [bulkGet, bulkExists, bulkCount]).meta({
    discriminator: {
      propertyName: 'operation',
      mapping: {
        get: '#/components/schemas/BulkGet',
        exists: '#/components/schemas/BulkExists',
        count: '#/components/schemas/BulkCount',
      },
    },
  }),
).register(components, { id: 'BulkAnswer' });

const bulkExamples = {
  get: {
    value: { operation: 'get', entity_type: 'companies', identifiers: [1000806, 5], fields: ['name', 'website'] },
  },
  exists: { value: { operation: 'exists', entity_type: 'people', identifiers: [1, 2] } },
  count: { value: { operation: 'count', entity_type: 'investors', identifiers: ['fund-one', 'fund-two'] } },
} as const;

/** Returns the schema of a body. `fields` is only allowed with "get", and its values depend on the entity type. */
function bulkBody(): Json {
  // The schema is an object's.
  const { properties, ...rest } = toSchema(bulkRequest, 'input') as Json & { readonly properties: Json };
  const { fields, identifiers, ...words } = properties;
  const forms = [
    { title: 'BulkIds', ...(identifiers as Json), items: toSchema(idIdentifier, 'input') },
    { title: 'BulkSlugs', ...(identifiers as Json), items: toSchema(slugIdentifier, 'input') },
  ];
  const others = { ...words, entity_type: schemaRef(bulkKind), identifiers: { oneOf: forms } };
  const gets = bulkKinds.map((kind) => ({
    ...rest,
    title: `BulkGet${pascalCase(kind)}Request`,
    properties: {
      ...others,
      operation: { type: 'string', const: 'get' },
      entity_type: { type: 'string', const: kind },
      fields: { ...(fields as Json), items: memberOf(recordFields([kind]), `${kinds[kind].singular}Field`).schema },
    },
  }));
  const checks = (['exists', 'count'] as const).map((operation) => ({
    ...rest,
    title: `Bulk${pascalCase(operation)}Request`,
    properties: { ...others, operation: { type: 'string', const: operation } },
  }));
  return { oneOf: [...gets, ...checks] };
}

/** POST /api/v1/bulk. The handler charges the calls, because the cost depends on the body. */
export const bulk: Endpoint = {
  method: 'post',
  path: '/api/v1/bulk',
  gates: ['key', 'body', 'slot'],
  errors: ['exceeds_plan', 'rate_limited', 'quota_exceeded'],
  countedAs: 'bulk',
  operation: () => ({
    operationId: 'bulk',
    tag: 'Records',
    summary: 'Get entities in bulk',
    description:
      'Reads the database, so it also works while searches fail. Costs one call for each ten identifiers or part of ten; a refused request costs nothing. If the entities could not be fetched, the answer is 200 with data.errors.',
    requestBody: {
      required: true,
      content: {
        'application/json': {
          schema: { $ref: '#/components/schemas/BulkRequest' },
          examples: bulkExamples,
        },
      },
    },
    content: jsonContent(bulkAnswer),
  }),
  schemas: { BulkRequest: bulkBody() },
  llms: `\`POST /api/v1/bulk\` with \`{"operation":"get"|"exists"|"count","entity_type":${bulkKinds.map((kind) => `"${kind}"`).join('|')},"identifiers":[...]}\`: up
  to 100 ids or slugs.`,
  handler: bulkHandler,
};

function bulkHandler(deps: Deps): Middleware {
  return async (ctx) => {
    const startedMs = deps.clock.elapsed();
    const read = () => checkBody(bulkRequest, objectOf(bodyOf(ctx)));
    await lookUp(deps, ctx, read, (request, outcome) => {
      const timing = { processedAtMs: deps.clock.now(), tookMs: deps.clock.elapsed() - startedMs };
      const data = bulkData(request, outcome, timing);
      answerJsonText(
        ctx,
        ...stringifyPieces(envelope(data, bulkMessage(request, outcome), ctx.state.requestId, deps.clock)),
      );
    });
  };
}

/**
 * Fetches the entities of a bulk request and charges the calls, unless the entities could not be fetched. Throws errors
 * of `read`, `Overloaded`, refusals of the plan's limits, and `ServiceUnavailable`.
 * @param answer called with the result, or with the reason why the entities could not be fetched
 */
export async function lookUp(
  deps: Deps,
  ctx: Context,
  read: () => BulkRequest,
  answer: (request: BulkRequest, outcome: BulkOutcome | BulkFailure) => void,
): Promise<void> {
  const request = await chargedIfWrong(deps, ctx, read);
  const cost = bulkCost(request.identifiers.values.length);
  await withSlot(deps.limiters.records, ctx, () =>
    chargeCalls(deps, ctx, cost, async () => {
      const outcome = await run(deps, ctx, request);
      answer(request, outcome);
      return typeof outcome === 'string' ? 'refund' : 'charge';
    }),
  );
}

/** Charges one call for a wrong body, like for other wrong requests. */
async function chargedIfWrong<Read>(deps: Deps, ctx: Context, read: () => Read): Promise<Read> {
  try {
    return read();
  } catch (thrown) {
    await chargeCalls(deps, ctx, 1, () => Promise.reject(thrown));
    throw thrown;
  }
}

async function run(deps: Deps, ctx: Context, request: BulkRequest): Promise<BulkOutcome | BulkFailure> {
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
