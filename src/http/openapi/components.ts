import { z } from 'zod';
import { entityId, type KindName, kindNames, location, reference } from '../../kinds/kind.ts';
import { role } from '../../kinds/people.ts';
import { kinds } from '../../kinds/registry.ts';
import { bulkKinds } from '../../records/bulk-request.ts';
import { facetValuesMax } from '../../search/options/facets.ts';
import { facetNames } from '../../search/options/filters.ts';
import { highlightNames } from '../../search/options/highlight.ts';

// What answers look like, by the names that the OpenAPI document gives them. Records and their fields are the kinds'
// own schemas.

/** The document's `components.schemas`. */
export const components = z.registry<{ id: string }>();

location.register(components, { id: 'Location' });
reference.register(components, { id: 'CompanyReference' });
role.register(components, { id: 'Role' });

const instant = z.iso.datetime({ precision: 3 });
const count = z.int().nonnegative();
const milliseconds = count.describe('Milliseconds');

const meta = z
  .strictObject({
    requestId: z.guid().describe('The same as the header X-Request-Id'),
    timestamp: instant,
    version: z.literal('v1'),
  })
  .register(components, { id: 'Meta' });

/** An object with some of the names, each with a value of the one form. */
function someOf(names: readonly string[], value: z.ZodType) {
  return z.strictObject(Object.fromEntries(names.map((name) => [name, value.optional()])));
}

function envelopeOf(data: z.ZodType) {
  const message = z.string().describe('A sentence for people; not for programs');
  return z.strictObject({ success: z.literal(true), data, message, meta });
}

export const errorAnswer = z
  .strictObject({
    error: z.string().describe('A sentence that says what to do'),
    code: z
      .string()
      .regex(/^[a-z0-9_]+$/)
      .describe('Stable, for programs'),
    details: z
      .array(z.strictObject({ path: z.string(), message: z.string() }))
      .max(50)
      .optional()
      .describe('All problems with the parameters or the body at once'),
  })
  .register(components, { id: 'Error' });

/** Singular, as schemas are named. */
const singular: Readonly<Record<KindName, string>> = {
  companies: 'Company',
  people: 'Person',
  investors: 'Investor',
  events: 'Event',
};

/** A record, of which `fields` may leave out all but the id. */
function recordOf(kind: KindName) {
  return kinds[kind].record
    .partial()
    .extend({ id: entityId })
    .describe(`One of the ${kind}. All fields are there unless "fields" chose some; a field without a value is null.`)
    .register(components, { id: singular[kind] });
}

const records = {
  companies: recordOf('companies'),
  people: recordOf('people'),
  investors: recordOf('investors'),
  events: recordOf('events'),
} satisfies Record<KindName, z.ZodType>;

const highlight = someOf(highlightNames, z.array(z.string()))
  .register(components, { id: 'Highlight' })
  .describe('Matched fragments by field, the matches in <em>, all else escaped for HTML');

function itemOf<Name extends KindName>(kind: Name) {
  return kinds[kind].record
    .partial()
    .extend({ entity_type: z.literal(kind), id: entityId, highlight: highlight.optional() })
    .describe(
      `An item of the ${kind}. Without "fields" it has ${kinds[kind].itemFields.join(', ')}; a field without a value is null.`,
    )
    .register(components, { id: `${singular[kind]}Item` });
}

const item = z
  .discriminatedUnion('entity_type', [itemOf('companies'), itemOf('people'), itemOf('investors'), itemOf('events')])
  .meta({
    discriminator: {
      propertyName: 'entity_type',
      mapping: Object.fromEntries(kindNames.map((kind) => [kind, `#/components/schemas/${singular[kind]}Item`])),
    },
  })
  .register(components, { id: 'Item' });

const facetValues = z.array(z.strictObject({ value: z.string(), count })).max(facetValuesMax);

export const searchAnswer = envelopeOf(
  z.strictObject({
    results: z.array(item),
    totalResults: count.describe('Exact'),
    totalPages: count,
    page: z.int().positive(),
    limit: z.int().positive(),
    matchedBy: z.enum(['strict', 'tolerant']).describe('"tolerant": similar spellings were allowed'),
    nextCursor: z.string().nullable().describe('For the parameter "cursor"; null on the last page'),
    facets: someOf(facetNames, facetValues).optional(),
  }),
).register(components, { id: 'SearchAnswer' });

const suggestion = z
  .strictObject({
    entity_type: z.enum(kindNames),
    id: entityId,
    name: z.string(),
    slug: z.string(),
    logo: z.string().nullable(),
  })
  .register(components, { id: 'Suggestion' });

export const suggestAnswer = envelopeOf(z.strictObject({ suggestions: z.array(suggestion) })).register(components, {
  id: 'SuggestAnswer',
});

export const recordAnswers = {
  companies: envelopeOf(records.companies).register(components, { id: 'CompanyAnswer' }),
  people: envelopeOf(records.people).register(components, { id: 'PersonAnswer' }),
  investors: envelopeOf(records.investors).register(components, { id: 'InvestorAnswer' }),
  events: envelopeOf(records.events).register(components, { id: 'EventAnswer' }),
} satisfies Record<KindName, z.ZodType>;

const bulkParts = {
  entity_type: z.enum(bulkKinds),
  requested_count: z.int().positive(),
  errors: z
    .array(z.strictObject({ entity_type: z.enum(bulkKinds), error: z.string() }))
    .optional()
    .describe('There when the entities could not be fetched'),
};
const existence = z.strictObject({
  id: entityId.nullable().describe('Null for a slug that nothing has'),
  slug: z.string().optional().describe('There when slugs were sent'),
  exists: z.boolean(),
});
const oneKey = 'One key: the entity_type';

const bulkGet = z
  .strictObject({
    operation: z.literal('get'),
    ...bulkParts,
    results: z
      .strictObject({
        companies: z.array(records.companies),
        people: z.array(records.people),
        investors: z.array(records.investors),
      })
      .partial()
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
    results: someOf(bulkKinds, z.strictObject({ count: count.nullable() })).describe(
      `${oneKey}; the count is null where it could not be made`,
    ),
  })
  .register(components, { id: 'BulkCount' });

export const bulkAnswer = envelopeOf(
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

const nullableCount = count.nullable().describe('Null: no limit');

export const usageAnswer = envelopeOf(
  z.strictObject({
    plan: z.string(),
    limits: z.strictObject({ calls_per_minute: nullableCount, calls_per_month: nullableCount }),
    used: z.strictObject({ this_minute: count, today: count, this_month: count }),
    resets_in_seconds: z.strictObject({ minute: count, month: count }),
  }),
).register(components, { id: 'UsageAnswer' });

const status = z.enum(['operational', 'error']);
const lag = z.number().nonnegative().optional();

export const healthReport = z
  .strictObject({
    status,
    operational: z.boolean().optional().describe('With detailed=true'),
    timestamp: instant,
    responseTime: milliseconds,
    services: z.strictObject({ database: status, api: status }),
    diagnostics: z
      .strictObject({
        apiRoutes: z.strictObject({ status, operational: z.boolean() }),
        indexLag: z
          .strictObject({ companies: lag, people: lag, investors: lag, events: lag })
          .describe("Seconds that a kind's index is behind the tables, without kinds of which that is not known")
          .optional(),
      })
      .optional()
      .describe('With detailed=true'),
    endpoints: z
      .array(z.strictObject({ name: z.string(), status, responseTime: milliseconds }))
      .optional()
      .describe('With detailed=true'),
  })
  .register(components, { id: 'HealthReport' });
