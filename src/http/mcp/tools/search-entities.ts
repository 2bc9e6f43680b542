import { kindNames } from '../../../kinds/kind.ts';
import { lazily } from '../../../lib/lazily.ts';
import type { Json } from '../../../lib/wire-schema.ts';
import { kindsOf } from '../../../search/query.ts';
import { findEntities } from '../../endpoints/search.ts';
import { lagHeaders } from '../../response/lag-header.ts';
import { searchOperation } from '../../search/search-operation.ts';
import type { SearchData } from '../../search/search-page.ts';
import { compactObject, shownItems } from '../compact.ts';
import { byToolNames, type ToolArguments, toQueryString } from '../tool-arguments.ts';
import { argumentsOf, inputSchema, itemList, outputSchema } from './schemas.ts';
import { chargedAs, type Tool } from './tool.ts';

const routeNames = { kind: 'type' };
/** Lower than in the HTTP route, because a model reads all results. */
const limitDefault = 10;
/** Parameters that only pages need. */
const leftOut: ReadonlySet<string> = new Set(['highlight']);

const describedArguments = lazily(() =>
  argumentsOf(searchOperation().parameters)
    .filter(({ name }) => !leftOut.has(name))
    .map(({ name, schema, ...rest }) => {
      if (name === 'type') return { ...rest, name: 'kind', schema: { ...schema, default: 'all' }, required: false };
      return { ...rest, name, schema: name === 'limit' ? { ...schema, default: limitDefault } : schema };
    }),
);

/** A paid search only has results. */
const output = outputSchema(
  {
    results: itemList(),
    totalResults: { type: 'integer', description: 'Exact' },
    matchedBy: {
      type: 'string',
      enum: ['strict', 'tolerant', 'semantic'],
      description: '"tolerant": similar spellings were allowed; "semantic": guesses, the nearest in meaning',
    },
    understood: {
      type: 'object',
      description: 'The understood parts of the query; results need not meet a part whose met is false',
    },
    facets: { type: 'object', description: 'Values with their counts, by field' },
    nextCursor: {
      type: 'string',
      description: 'Value of the argument cursor for the next page; absent on the last page',
    },
  },
  ['results'],
);

export const searchEntities: Tool = {
  name: 'search_entities',
  title: 'Search companies, people, investors and events',
  description: `Searches Web3 ${kindNames.join(', ')} by name, topic or a question in plain English ("zk rollup startups in Berlin", "investors of arbitrum", "events in lisbon next month", "alternatives to ledger"). Typos are forgiven. Filters must all hold. Without a query: the most prominent.`,
  input: () => inputSchema(describedArguments()),
  output,
  handler(deps) {
    const charged = chargedAs(deps, 'search', deps.limiters.searches);
    return (ctx, args) =>
      byToolNames(routeNames, () =>
        charged(ctx, async () => {
          const { query, cursor, data } = await findEntities(deps, ctx, queryStringOf(args));
          if (cursor === null) ctx.set(lagHeaders(deps.lag, kindsOf(query.type)));
          const results = shownItems(data.results, args);
          return { data: { ...shown(data), results } };
        }),
      );
  },
};

function queryStringOf(args: ToolArguments): string {
  const known = describedArguments().map(({ name }) => name);
  const given = Object.fromEntries(Object.entries(args).filter(([, value]) => value !== null && value !== undefined));
  return toQueryString({ kind: 'all', limit: limitDefault, ...given }, known, routeNames);
}

function shown({ results: _results, page: _page, limit: _limit, totalPages: _pages, ...rest }: SearchData): Json {
  return { ...compactObject(rest), totalResults: rest.totalResults };
}
