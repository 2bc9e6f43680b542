import type { Deps } from '../../deps.ts';
import type { Answer } from '../../search/answer.ts';
import { askedKinds } from '../../search/question.ts';
import { askPage, askWalk } from '../ask-search.ts';
import { envelope } from '../envelope.ts';
import { goneSignal } from '../gone.ts';
import { answerJson } from '../json.ts';
import { lagHeaders } from '../lag-header.ts';
import { readSearch } from '../search-parameters.ts';
import type { Middleware } from '../state.ts';

/** GET /api/v1/search */
export function searchEndpoint(deps: Deps): Middleware {
  return async (ctx) => {
    const { question, cursor } = readSearch(ctx.querystring);
    ctx.state.queryText = question.query;
    const signal = goneSignal(ctx);
    const { answer, nextCursor } =
      cursor === null ? await askPage(deps, question, signal) : await askWalk(deps, question, cursor, signal);
    // A walk's later pages show the index as it was when the walk began, which is further behind.
    if (cursor === null) ctx.set(lagHeaders(deps.lag, askedKinds(question.type)));
    answerJson(ctx, envelope({ ...answer, nextCursor }, summary(answer), ctx.state.requestId, deps.clock));
  };
}

function summary({ totalResults, results, page, totalPages }: Answer): string {
  if (totalResults === 0) return 'Nothing was found.';
  if (results.length === 0) return `There is no page ${page}: ${totalResults} results fill ${totalPages} pages.`;
  return `Found ${totalResults} ${totalResults === 1 ? 'result' : 'results'}, page ${page} of ${totalPages}.`;
}
