import type { Deps } from '../../ports.ts';
import { kindsOf } from '../../search/query.ts';
import type { Context, Middleware } from '../context.ts';
import { parseSearch } from '../request/search-parameters.ts';
import { envelope } from '../response/envelope.ts';
import { answerJson } from '../response/json.ts';
import { lagHeaders } from '../response/lag-header.ts';
import { type SearchData, searchPage } from '../search/execute-search.ts';
import { createOpenCursors } from '../search/open-cursors.ts';
import { paginate } from '../search/paginate.ts';
import { clientAborted } from '../server/on-finished.ts';

/** Elasticsearch looks so often which points in time have had their time (its `search.keep_alive_interval`). */
const reapedEveryMs = 60_000;

/** GET /api/v1/search */
export function searchEndpoint(deps: Deps): Middleware {
  const { cursorWalksMax, cursorKeepAliveMs, timeoutMs } = deps.config.search;
  const keptMs = cursorKeepAliveMs + timeoutMs + reapedEveryMs;
  const openCursors = createOpenCursors({ accountMax: cursorWalksMax, keptMs }, deps.clock);
  return async (ctx) => {
    const { query, cursor } = parseSearch(ctx.querystring);
    ctx.state.queryText = query.text;
    const signal = clientAborted(ctx);
    const data =
      cursor === null
        ? await searchPage(deps, query, signal)
        : await paginate(deps, query, cursor, { account: accountOf(ctx), openCursors }, signal);
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
