import { z } from 'zod';
import { aliasName } from '../../kinds/index-names.ts';
import { oneOf, textUpTo, wholeNumber } from '../../lib/parameter-schemas.ts';
import type { Deps } from '../../ports.ts';
import { kindsOf } from '../../search/query.ts';
import { suggest } from '../../search/suggest.ts';
import type { Middleware } from '../context.ts';
import { parseParameters } from '../request/parameters.ts';
import { queryMax, searchTypes } from '../request/search-parameters.ts';
import { envelope } from '../response/envelope.ts';
import { answerJson } from '../response/json.ts';
import { lagHeaders } from '../response/lag-header.ts';
import { sendWithin, unlessFailed } from '../search/execute-search.ts';
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
    const kinds = kindsOf(type);
    const indices = kinds.map((kind) => aliasName(deps.config.search.indexPrefix, kind));
    const send = sendWithin(deps, clientAborted(ctx));
    const { suggestions } = unlessFailed(await suggest({ text: q, limit, indices }, send));
    ctx.set(lagHeaders(deps.lag, kinds));
    const { length } = suggestions;
    const message = length === 0 ? 'Nothing to suggest.' : `${length} ${length === 1 ? 'suggestion' : 'suggestions'}.`;
    answerJson(ctx, envelope({ suggestions }, message, ctx.state.requestId, deps.clock));
  };
}
