import { z } from 'zod';
import type { Deps } from '../../deps.ts';
import { kindNames } from '../../kinds/kind.ts';
import type { Answer } from '../../search/answer.ts';
import { askSearch } from '../ask-search.ts';
import { envelope } from '../envelope.ts';
import { oneOf, parseParameters, textUpTo, wholeNumber } from '../parameters.ts';
import type { Context, Middleware } from '../state.ts';

const limitMax = 100;
const limitPreset = 20;
/** How far into the results pages reach, in results. */
const depthMax = 10_000;
const queryMax = 256;

const page = wholeNumber(1, depthMax).default(1);
const limit = wholeNumber(1, limitMax).default(limitPreset);

const reach = z.object({ page: z.int(), limit: z.int() });

const parameters = z
  .strictObject({
    type: oneOf([...kindNames, 'all']),
    query: textUpTo(queryMax).default(''),
    page,
    limit,
  })
  .refine((given) => given.page * given.limit <= depthMax, {
    path: ['page'],
    error: `page times limit must be at most ${depthMax}, narrow the search to see the rest`,
    // Said along with other problems, as long as these two are numbers.
    when: ({ value }) => reach.safeParse(value).success,
  });

/** GET /api/v1/search */
export function searchEndpoint(deps: Deps): Middleware {
  return async (ctx) => {
    const question = parseParameters(parameters, ctx.querystring);
    ctx.state.queryText = question.query;
    const answer = await askSearch(deps, question, goneSignal(ctx));
    ctx.body = envelope(answer, summary(answer), ctx.state.requestId, deps.clock);
  };
}

/** Aborted when the caller goes away before the answer is there: nobody would read it. */
function goneSignal(ctx: Context): AbortSignal {
  const controller = new AbortController();
  ctx.res.once('close', () => controller.abort());
  return controller.signal;
}

function summary({ totalResults, results, page, totalPages }: Answer): string {
  if (totalResults === 0) return 'Nothing was found.';
  if (results.length === 0) return `There is no page ${page}: ${totalResults} results fill ${totalPages} pages.`;
  return `Found ${totalResults} ${totalResults === 1 ? 'result' : 'results'}, page ${page} of ${totalPages}.`;
}
