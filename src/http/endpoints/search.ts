import { z } from 'zod';
import { entityId, type KindName, kindNames, mapKinds } from '../../kinds/kind.ts';
import { kinds } from '../../kinds/registry.ts';
import type { Deps } from '../../ports.ts';
import { facetValuesMax } from '../../search/options/facets.ts';
import { facetNames, filterTexts } from '../../search/options/filters.ts';
import { highlightNames } from '../../search/options/highlight.ts';
import { kindsOf } from '../../search/query.ts';
import type { Context, Middleware } from '../context.ts';
import type { Endpoint } from '../endpoint.ts';
import { components, count, envelopeOf, exampleOf, someOf } from '../openapi/components.ts';
import { limitHeaders } from '../openapi/headers.ts';
import { keyedOperation } from '../openapi/keyed-operation.ts';
import { type ParameterTexts, queryParameters } from '../openapi/query-parameters.ts';
import { cursorLimitErrors, errorResponse, invalidParameters, searchErrors } from '../openapi/responses.ts';
import { parseSearch, searchParameters } from '../request/search-parameters.ts';
import { envelope } from '../response/envelope.ts';
import { answerJson } from '../response/json.ts';
import { lagHeaders } from '../response/lag-header.ts';
import { createOpenCursors } from '../search/open-cursors.ts';
import { paginate } from '../search/paginate.ts';
import { type SearchData, searchPage } from '../search/search-page.ts';
import { clientAborted } from '../server/on-finished.ts';

/** The parameters' words in the OpenAPI document. */
const searchTexts: ParameterTexts<typeof searchParameters> = {
  type: { text: 'The kind of entities, or all kinds in one list.', example: 'companies' },
  query: {
    text: 'Text to search for; nothing in it is an operator. Empty: all entities, the most prominent first.',
    example: 'plover spire',
  },
  page: {
    text: 'Page times limit reaches to 10,000; beyond, follow data.nextCursor. Not together with cursor. Default 1.',
  },
  limit: { text: 'Results on a page.', example: 5 },
  cursor: { text: "An earlier answer's data.nextCursor, with all other parameters as they were and without page." },
  ...filterTexts,
  sort: { text: 'The order; "-" before it reverses. Default relevance.' },
  facets: { text: 'What to count over all results, as data.facets: the 20 most frequent values each.' },
  highlight: { text: 'Whether items show where they match.' },
  fields: {
    text: 'Fields of the items, instead of those that they have by themselves; id and entity_type are always there.',
  },
};

const highlight = someOf(highlightNames, z.array(z.string()))
  .register(components, { id: 'Highlight' })
  .describe('Matched fragments by field, the matches in <em>, all else escaped for HTML');

function itemOf(kind: KindName) {
  const { record, itemFields, singular } = kinds[kind];
  return record
    .partial()
    .extend({ entity_type: z.literal(kind), id: entityId, highlight: highlight.optional() })
    .describe(
      `An item of the ${kind}. Without "fields" it has ${itemFields.join(', ')}; a field without a value is null.`,
    )
    .register(components, { id: `${singular}Item` });
}

const [firstKind, ...otherKinds] = kindNames;
const item = z
  .discriminatedUnion('entity_type', [itemOf(firstKind), ...otherKinds.map(itemOf)])
  .meta({
    discriminator: {
      propertyName: 'entity_type',
      mapping: mapKinds((kind) => `#/components/schemas/${kinds[kind].singular}Item`),
    },
  })
  .register(components, { id: 'Item' });

const facetValues = z.array(z.strictObject({ value: z.string(), count })).max(facetValuesMax);

const searchAnswer = envelopeOf(
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

const exampleCompany = {
  id: 1000806,
  name: 'Plover Spire',
  slug: 'plover-spire',
  logo: 'https://logo.example/plover-spire.png',
  overview: 'Plover Spire matches spot orders on-chain for market makers.',
  total_employees: 9363,
  year_founded: 2020,
  website: 'https://plover-spire.example',
  tags: ['exchange'],
  location_json: { city: 'Sydney', country: 'Australia' },
} as const;

const searchExample = exampleOf(
  {
    results: [{ entity_type: 'companies', ...exampleCompany }],
    totalResults: 1,
    totalPages: 1,
    page: 1,
    limit: 5,
    matchedBy: 'strict',
    nextCursor: null,
  },
  'Found 1 result, page 1 of 1.',
);

/** GET /api/v1/search */
export const search: Endpoint = {
  method: 'get',
  path: '/api/v1/search',
  gates: ['slot', 'key', 'search slot', 'one call'],
  operation: () =>
    keyedOperation({
      operationId: 'search',
      tag: 'Search',
      summary: 'Entities by text',
      description:
        'Ranked, the best match first. Filters, all optional, must all hold; one that no kind asked for has is an error. Costs one call.',
      parameters: queryParameters(searchParameters, searchTexts),
      answer: searchAnswer,
      examples: { found: searchExample },
      headers: ['X-Index-Lag'],
      responses: {
        400: errorResponse({
          ...invalidParameters,
          otherCodes: ['invalid_cursor', 'cursor_expired', 'malformed_request'],
          headers: limitHeaders,
        }),
        ...cursorLimitErrors,
        ...searchErrors,
      },
    }),
  llms: `\`GET /api/v1/search?type=companies&query=...\`: type is ${kindNames.join(', ')} or all and is required. Natural
  words work ("zk rollup startups in Berlin"); nothing is an operator. \`limit\` 1 to 100, \`page\`, filters such as
  \`country\`, \`city\`, \`tag\`, \`founded_from\`, \`sort\`, \`facets\`, \`fields\`. For more than 10,000 results follow
  \`data.nextCursor\` with \`cursor\`. \`data.totalResults\` is exact; \`data.matchedBy\` "tolerant" means that similar spellings
  were allowed.`,
  handler: searchHandler,
};

/** Elasticsearch checks this often for expired points in time (its `search.keep_alive_interval`). */
const reapedEveryMs = 60_000;

function searchHandler(deps: Deps): Middleware {
  const { openCursorsMax, cursorKeepAliveMs, timeoutMs } = deps.config.search;
  const keptMs = cursorKeepAliveMs + timeoutMs + reapedEveryMs;
  const openCursors = createOpenCursors({ accountMax: openCursorsMax, keptMs }, deps.clock);
  return async (ctx) => {
    const { query, cursor } = parseSearch(ctx.querystring);
    ctx.state.queryText = query.text;
    const clientSignal = clientAborted(ctx);
    const data =
      cursor === null
        ? await searchPage(deps, query, clientSignal)
        : await paginate(deps, query, cursor, { account: accountOf(ctx), openCursors }, clientSignal);
    // Pages at a cursor show the index as it was when the first cursor was used, which is further behind.
    if (cursor === null) ctx.set(lagHeaders(deps.lag, kindsOf(query.type)));
    answerJson(ctx, envelope(data, summary(data), ctx.state.requestId, deps.clock));
  };
}

function accountOf({ state: { caller } }: Context): number {
  if (caller === undefined) throw new Error('cursors are counted after the key was checked');
  return caller.accountId;
}

function summary({ totalResults, results, page, totalPages }: SearchData): string {
  if (totalResults === 0) return 'Nothing was found.';
  if (results.length === 0) return `There is no page ${page}: ${totalResults} results fill ${totalPages} pages.`;
  return `Found ${totalResults} ${totalResults === 1 ? 'result' : 'results'}, page ${page} of ${totalPages}.`;
}
