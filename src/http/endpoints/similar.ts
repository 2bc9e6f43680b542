import { z } from 'zod';
import { recordFields } from '../../kinds/fields.ts';
import { entityId, type KindName, kindNames, mapKinds } from '../../kinds/kind.ts';
import { kinds } from '../../kinds/registry.ts';
import { listOf, memberOf, wholeNumber } from '../../lib/parameter-schemas.ts';
import type { Deps } from '../../ports.ts';
import { canBeSlug, recordIdentifier } from '../../records/identifiers.ts';
import { findSimilar, type SimilarEntities, similarBy } from '../../search/find-similar.ts';
import { searchTools } from '../../search/ports.ts';
import { sharedMax, traits } from '../../search/shared-traits.ts';
import type { Context } from '../context.ts';
import type { Endpoint, EndpointContext } from '../endpoint.ts';
import { RecordNotFound } from '../errors/errors.ts';
import { components, envelopeOf, someOf } from '../openapi/components.ts';
import { jsonContent } from '../openapi/responses.ts';
import { queryParameters } from '../openapi/to-schema.ts';
import { parseParameters } from '../request/parameters.ts';
import { answerJson, envelope } from '../response/json.ts';
import { lagHeaders } from '../response/lag-header.ts';
import { deadline, unlessFailed } from '../search/search-page.ts';
import { clientAborted } from '../server/on-finished.ts';
import { identifierParameter } from './records.ts';

const limitMax = 50;
const limitPreset = 10;

const parameters = mapKinds((kind) =>
  z.strictObject({
    limit: wholeNumber(1, limitMax).default(limitPreset),
    fields: listOf(memberOf(recordFields([kind]), `${kinds[kind].singular}Field`)).optional(),
  }),
);

function similarItem(kind: KindName) {
  const { record, itemFields, singular } = kinds[kind];
  const names = z.array(z.string()).max(sharedMax);
  return record
    .partial()
    .extend({
      entity_type: z.literal(kind),
      id: entityId,
      shared: someOf(
        traits[kind].map(({ as }) => as),
        names,
      ).describe('Shared values, spelt as in the given entity; properties without shared values are absent'),
      matchedBy: z
        .enum(similarBy)
        .describe(
          '"shared": by the listed values; "words": by rare words of its texts; "semantic": a guess, its text is only near in meaning',
        ),
    })
    .describe(`A similar entity. Without "fields" it has ${itemFields.join(', ')}, shared and matchedBy.`)
    .register(components, { id: `Similar${singular}` });
}

const answers = mapKinds((kind) =>
  envelopeOf(
    z.strictObject({
      results: z.array(similarItem(kind)).max(limitMax),
      of: z.strictObject({ entity_type: z.literal(kind), id: entityId, name: z.string() }),
    }),
  ).register(components, { id: `Similar${kinds[kind].singular}Answer` }),
);

/** The MCP tool has the same parameters. */
export function similarOperation(kind: KindName) {
  return {
    operationId: `getSimilar${kind.replace(/^./, (letter) => letter.toUpperCase())}`,
    tag: 'Search',
    summary: `Find similar ${kind}`,
    description:
      'Entities that have most in common with one entity, the most similar first. Rare values count more than frequent ones. If texts have vectors, nearness in meaning counts as well. Costs one call, even if nothing is found.',
    parameters: [
      identifierParameter(kind),
      ...queryParameters(parameters[kind], {
        limit: { text: 'Maximum number of results.', example: 5 },
        fields: {
          text: 'Fields of the items, instead of the usual ones; id, entity_type, shared and matchedBy are always included.',
        },
      }),
    ],
    content: jsonContent(answers[kind]),
    headers: ['X-Index-Lag'],
  } as const;
}

/** GET /api/v1/{kind}/{id-or-slug}/similar, from Elasticsearch. */
export function similar(kind: KindName): Endpoint {
  return {
    method: 'get',
    path: `/api/v1/${kind}/{identifier}/similar`,
    gates: ['slot', 'key', 'search slot', 'one call'],
    errors: ['not_found'],
    countedAs: 'similar',
    operation: () => similarOperation(kind),
    llms: `\`GET /api/v1/{${kindNames.join('|')}}/{id-or-slug}/similar\`: entities that have most in common with it, each
  with the values that it shares; \`limit\` 1 to 50.`,
    handler: (deps) => (ctx) => answerSimilar(deps, kind, ctx),
  };
}

async function answerSimilar(deps: Deps, kind: KindName, ctx: EndpointContext): Promise<void> {
  const wanted = { kind, identifier: ctx.params.identifier ?? '', queryString: ctx.querystring };
  const found = await findSimilarEntities(deps, ctx, wanted);
  ctx.set(lagHeaders(deps.lag, [kind]));
  answerJson(ctx, envelope(found, similarSummary(found), ctx.state.requestId, deps.clock));
}

/**
 * Returns entities similar to one. Throws `InvalidParameters`, `RecordNotFound` and `SearchFailed`.
 * @param wanted the entity by its id or slug, and the other parameters as a query string
 */
export async function findSimilarEntities(
  deps: Deps,
  ctx: Context,
  wanted: { readonly kind: KindName; readonly identifier: string; readonly queryString: string },
): Promise<SimilarEntities> {
  const { kind, identifier, queryString } = wanted;
  const { limit, fields } = parseParameters(parameters[kind], queryString);
  if (!canBeSlug(identifier)) throw new RecordNotFound(kind);
  const { indexPrefix } = deps.config.search;
  const tools = searchTools(deps.search, deadline(deps), { signal: clientAborted(ctx), vectors: deps.embeddings });
  const { vocabulary } = deps;
  const query = { kind, ...recordIdentifier(identifier), limit, fields, indexPrefix, vocabulary };
  const { found } = unlessFailed(await findSimilar(query, tools));
  if (found === null) throw new RecordNotFound(kind);
  return found;
}

export function similarSummary({ results, of }: SimilarEntities): string {
  return results.length === 0 ? `Nothing is like ${of.name}.` : `Found ${results.length} like ${of.name}.`;
}
