import { z } from 'zod';
import type { Deps } from '../../ports.ts';
import { kindsOf } from '../../search/query.ts';
import type { Middleware } from '../context.ts';
import { oneOf, parseParameters, textUpTo, wholeNumber } from '../request/parameters.ts';
import { queryMax, searchTypes } from '../request/search-parameters.ts';
import { envelope } from '../response/envelope.ts';
import { answerJson } from '../response/json.ts';
import { lagHeaders } from '../response/lag-header.ts';
import { askSuggest } from '../search/execute-search.ts';
import { clientAborted } from '../server/on-finished.ts';

const limitMax = 20;
const limitPreset = 8;

export const suggestParameters = z.strictObject({
  q: textUpTo(queryMax).default(''),
  type: oneOf(searchTypes).default('all'),
  limit: wholeNumber(1, limitMax).default(limitPreset),
});

/** GET /api/v1/suggest */
export function suggestEndpoint(deps: Deps): Middleware {
  return async (ctx) => {
    const { q, type, limit } = parseParameters(suggestParameters, ctx.querystring);
    ctx.state.queryText = q;
    const suggestions = await askSuggest(deps, { text: q, type, limit }, clientAborted(ctx));
    ctx.set(lagHeaders(deps.lag, kindsOf(type)));
    const { length } = suggestions;
    const message = length === 0 ? 'Nothing to suggest.' : `${length} ${length === 1 ? 'suggestion' : 'suggestions'}.`;
    answerJson(ctx, envelope({ suggestions }, message, ctx.state.requestId, deps.clock));
  };
}
