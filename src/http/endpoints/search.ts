import type { Deps } from '../../ports.ts';
import { kindsOf } from '../../search/query.ts';
import type { SearchResponse } from '../../search/response.ts';
import type { Context, Middleware } from '../context.ts';
import { parseSearch } from '../request/search-parameters.ts';
import { envelope } from '../response/envelope.ts';
import { answerJson } from '../response/json.ts';
import { lagHeaders } from '../response/lag-header.ts';
import { askPage } from '../search/execute-search.ts';
import { createOpenWalks } from '../search/open-cursors.ts';
import { askWalk } from '../search/paginate.ts';
import { clientAborted } from '../server/on-finished.ts';

/** Elasticsearch looks so often which points in time have had their time (its `search.keep_alive_interval`). */
const reapedEveryMs = 60_000;

/** GET /api/v1/search */
export function searchEndpoint(deps: Deps): Middleware {
  const { cursorWalksMax, cursorKeepAliveMs, timeoutMs } = deps.config.search;
  const keptMs = cursorKeepAliveMs + timeoutMs + reapedEveryMs;
  const walks = createOpenWalks({ accountMax: cursorWalksMax, keptMs }, deps.clock);
  return async (ctx) => {
    const { query, cursor } = parseSearch(ctx.querystring);
    ctx.state.queryText = query.text;
    const signal = clientAborted(ctx);
    const { answer, nextCursor } =
      cursor === null
        ? await askPage(deps, query, signal)
        : await askWalk(deps, query, cursor, { account: accountOf(ctx), walks }, signal);
    // A walk's later pages show the index as it was when the walk began, which is further behind.
    if (cursor === null) ctx.set(lagHeaders(deps.lag, kindsOf(query.type)));
    answerJson(ctx, envelope({ ...answer, nextCursor }, summary(answer), ctx.state.requestId, deps.clock));
  };
}

function accountOf({ state: { caller } }: Context): number {
  if (caller === undefined) throw new Error('walks are counted after the key was checked');
  return caller.accountId;
}

function summary({ totalResults, results, page, totalPages }: SearchResponse): string {
  if (totalResults === 0) return 'Nothing was found.';
  if (results.length === 0) return `There is no page ${page}: ${totalResults} results fill ${totalPages} pages.`;
  return `Found ${totalResults} ${totalResults === 1 ? 'result' : 'results'}, page ${page} of ${totalPages}.`;
}
