import { findSimilarEntities, similarOperation } from '../../endpoints/similar.ts';
import { lagHeaders } from '../../response/lag-header.ts';
import { shownItems } from '../compact.ts';
import {
  argumentsOf,
  entityArguments,
  fieldsArgument,
  inputSchema,
  item,
  itemList,
  outputSchema,
  readWanted,
} from './schemas.ts';
import { chargedAs, type Tool } from './tool.ts';

/** Returns the arguments, which are the same for every kind except for the names of fields. */
function describeArguments() {
  const limit = argumentsOf(similarOperation('companies').parameters).filter(({ name }) => name === 'limit');
  return [...entityArguments, ...limit, fieldsArgument];
}

const shared = {
  shared: { type: 'object', description: 'Shared values by field' },
  matchedBy: { type: 'string', description: '"shared", "words" or "semantic"' },
};

/** GET /api/v1/{kind}/{id-or-slug}/similar as a tool. */
export const findSimilarTool: Tool = {
  name: 'find_similar',
  title: 'Find similar entities',
  description:
    'Entities of the same kind that have most in common with one: competitors of a company, investors with the same focus, events of the same sort. Each lists the values that it shares; matchedBy "semantic" is a guess.',
  input: () => inputSchema(describeArguments()),
  output: outputSchema({ results: itemList(shared), of: item }, ['results', 'of']),
  handler(deps) {
    const charged = chargedAs(deps, 'similar', deps.limiters.searches);
    return (ctx, args) =>
      charged(ctx, async () => {
        const wanted = readWanted(args, ['limit', fieldsArgument.name]);
        const found = await findSimilarEntities(deps, ctx, wanted);
        ctx.set(lagHeaders(deps.lag, [wanted.kind]));
        return { data: { results: shownItems(found.results, args), of: found.of } };
      });
  },
};
