import { z } from 'zod';
import { aliasName } from '../../kinds/index-names.ts';
import { entityId, type KindName } from '../../kinds/kind.ts';
import { oneOf, textUpTo, wholeNumber } from '../../lib/parameter-schemas.ts';
import { counted } from '../../lib/text/counted.ts';
import type { Deps } from '../../ports.ts';
import { searchTools } from '../../search/ports.ts';
import { kindsOf } from '../../search/query.ts';
import type { Item } from '../../search/response.ts';
import { suggest } from '../../search/suggest.ts';
import type { Context, Middleware } from '../context.ts';
import type { Endpoint } from '../endpoint.ts';
import { components, entityKind, envelopeOf } from '../openapi/components.ts';
import { jsonContent } from '../openapi/responses.ts';
import { type ParameterTexts, queryParameters } from '../openapi/to-schema.ts';
import { parseParameters } from '../request/parameters.ts';
import { queryMax, searchTypes } from '../request/search-parameters.ts';
import { answerJson, envelope } from '../response/json.ts';
import { lagHeaders } from '../response/lag-header.ts';
import { deadline, unlessFailed } from '../search/search-page.ts';
import { clientAborted } from '../server/on-finished.ts';

const limitMax = 20;
const limitPreset = 8;

const suggestParameters = z.strictObject({
  q: textUpTo(queryMax).default(''),
  type: oneOf(searchTypes).default('all'),
  limit: wholeNumber(1, limitMax).default(limitPreset),
});

const suggestTexts: ParameterTexts<typeof suggestParameters> = {
  q: { text: 'The text typed so far. Empty, blank or *: no suggestions. May be called query.', example: 'plov' },
  type: { text: 'The kind of entities, or all kinds.' },
  limit: { text: 'Maximum number of suggestions.' },
};

const suggestion = z
  .strictObject({
    entity_type: entityKind,
    id: entityId,
    name: z.string(),
    slug: z.string(),
    logo: z.string().nullable(),
  })
  .register(components, { id: 'Suggestion' });

const suggestAnswer = envelopeOf(z.strictObject({ suggestions: z.array(suggestion) })).register(components, {
  id: 'SuggestAnswer',
});

/** The MCP tool has the same parameters. */
export function suggestOperation() {
  return {
    operationId: 'suggest',
    tag: 'Search',
    summary: 'Suggest names',
    description:
      'Names that begin with the text, the most prominent first, then names in which a later word begins with it. If there are none, one typo is allowed. Costs one call.',
    parameters: queryParameters(suggestParameters, suggestTexts),
    content: jsonContent(suggestAnswer),
    headers: ['X-Index-Lag'],
  } as const;
}

/** GET /api/v1/suggest */
export const suggestions: Endpoint = {
  method: 'get',
  path: '/api/v1/suggest',
  gates: ['slot', 'key', 'search slot', 'one call'],
  countedAs: 'suggest',
  operation: suggestOperation,
  llms: '`GET /api/v1/suggest?q=...`: names that begin with the text.',
  handler: suggestHandler,
};

/** Answers with suggestions, for the keyed API and the pages. */
export function suggestHandler(deps: Deps): Middleware {
  return async (ctx) => {
    const { suggestions, kinds } = await suggestNames(deps, ctx, ctx.querystring);
    ctx.set(lagHeaders(deps.lag, kinds));
    const { length } = suggestions;
    const message = length === 0 ? 'Nothing to suggest.' : `${counted(length, 'suggestion')}.`;
    answerJson(ctx, envelope({ suggestions }, message, ctx.state.requestId, deps.clock));
  };
}

/** Returns the suggestions for a query string. Throws `InvalidParameters` and `SearchFailed`. */
export async function suggestNames(
  deps: Deps,
  ctx: Context,
  queryString: string,
): Promise<{ readonly suggestions: readonly Item[]; readonly kinds: readonly KindName[] }> {
  const { q, type, limit } = parseParameters(suggestParameters, queryString);
  ctx.state.queryText = q;
  const kinds = kindsOf(type);
  const indices = kinds.map((kind) => aliasName(deps.config.search.indexPrefix, kind));
  const { send } = searchTools(deps.search, deadline(deps), { signal: clientAborted(ctx) });
  const { suggestions } = unlessFailed(await suggest({ text: q, limit, indices }, send));
  return { suggestions, kinds };
}
