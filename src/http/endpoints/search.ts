import { kindNames } from '../../kinds/kind.ts';
import { counted } from '../../lib/text/counted.ts';
import type { Deps } from '../../ports.ts';
import { kindsOf } from '../../search/query.ts';
import type { Context, Middleware } from '../context.ts';
import type { Endpoint } from '../endpoint.ts';
import { NotSignedIn } from '../errors/account-errors.ts';
import { type ParsedSearch, parseSearch } from '../request/search-parameters.ts';
import { answerJson, envelope } from '../response/json.ts';
import { lagHeaders } from '../response/lag-header.ts';
import { paginate } from '../search/paginate.ts';
import { searchOperation } from '../search/search-operation.ts';
import { type SearchData, searchPage, toSearchData } from '../search/search-page.ts';
import { clientAborted } from '../server/on-finished.ts';

/** GET /api/v1/search */
export const search: Endpoint = {
  method: 'get',
  path: '/api/v1/search',
  gates: ['slot', 'key', 'search slot', 'one call'],
  errors: ['invalid_cursor', 'cursor_expired', 'too_many_cursors'],
  countedAs: 'search',
  operation: searchOperation,
  llms: `\`GET /api/v1/search?type=companies&query=...\`: type is required: ${kindNames.join(', ')} or all. Plain
  questions are understood: kind, place, time, relations, neighbours ("zk rollup startups in Berlin", "investors of
  arbitrum", "events in lisbon next month", "alternatives to ledger"). \`data.understood\` lists the parts that were
  understood; \`literal=true\` searches for the words only. There are no operators. \`limit\` 1 to 100, \`page\`, filters such
  as \`country\`, \`city\`, \`tag\`, \`founded_from\`, \`sort\`, \`facets\`, \`fields\`. With events and all, \`collapse=series\`
  groups the editions of an event on a page under the first of them, as its \`editions\`. For more than 10,000 results
  follow \`data.nextCursor\` with \`cursor\`. \`data.totalResults\` is exact; \`data.matchedBy\` "tolerant" means that similar
  spellings were allowed, "semantic" that the results are guesses: the nearest in meaning.`,
  handler: searchHandler,
};

/** Answers with a page of results, for the keyed API and the pages. */
export function searchHandler(deps: Deps): Middleware {
  return async (ctx) => {
    const { query, cursor, data } = await findEntities(deps, ctx, ctx.querystring);
    // Pages by cursor show an older state of the index, so its lag does not apply.
    if (cursor === null) ctx.set(lagHeaders(deps.lag, kindsOf(query.type)));
    answerJson(ctx, envelope(data, searchSummary(data), ctx.state.requestId, deps.clock));
  };
}

/**
 * Returns the page of results for a query string. Throws `InvalidParameters`, `SearchFailed`, and with a cursor also
 * `NotSignedIn`, `InvalidCursor`, `CursorExpired` and `TooManyCursors`.
 */
export async function findEntities(
  deps: Deps,
  ctx: Context,
  queryString: string,
): Promise<ParsedSearch & { readonly data: SearchData }> {
  const { query, cursor } = parseSearch(queryString);
  ctx.state.queryText = query.text;
  const signal = clientAborted(ctx);
  const { openCursors } = deps;
  const data =
    cursor === null
      ? toSearchData(deps, query, await searchPage(deps, query, signal))
      : await paginate(deps, query, cursor, { account: accountOf(ctx), openCursors }, signal);
  return { query, cursor, data };
}

function accountOf({ state: { caller } }: Context): number {
  // Each cursor keeps a context open in Elasticsearch, so it must belong to an account, whose cursors are limited.
  if (caller === undefined) throw new NotSignedIn('Following a cursor needs an account: sign in, or use pages.');
  return caller.accountId;
}

/** Describes a page of results in a sentence or two. */
export function searchSummary(data: SearchData): string {
  const { totalResults, results, page, totalPages, understood } = data;
  if (totalResults === 0) return 'Nothing was found.';
  if (results.length === 0)
    return `There is no page ${page}: there ${totalResults === 1 ? 'is' : 'are'} ${counted(totalResults, 'result')} on ${counted(totalPages, 'page')}.`;
  const note = understood?.note ? `${understood.note} ` : '';
  return `${note}Found ${counted(totalResults, 'result')}, page ${page} of ${totalPages}.`;
}
