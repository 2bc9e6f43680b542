import { kindNames } from '../../../kinds/kind.ts';
import type { Json } from '../../../lib/wire-schema.ts';
import { findSimilarEntities, similarParts, similarSummary } from '../../endpoints/similar.ts';
import { lagHeaders } from '../../response/lag-header.ts';
import { itemLine, numbered } from '../readable.ts';
import { entityArguments, readWanted } from './one-entity.ts';
import { argumentsOf, at, dataSchema, fieldsArgument, inputSchema, mergedSchema } from './schemas.ts';
import { shownItems } from './shown-items.ts';
import { chargedAs, type Tool } from './tool.ts';

/** Returns the arguments, which are the same for every kind except for the names of fields. */
function describeArguments() {
  const limit = argumentsOf(similarParts('companies').parameters).filter(({ name }) => name === 'limit');
  return [...entityArguments, ...limit, fieldsArgument];
}

function outputSchema(): Json {
  const data = kindNames.map((kind) => dataSchema(similarParts(kind).answer));
  const part = (...place: readonly string[]) => mergedSchema(data.map((each) => at(each, 'properties', ...place)));
  const item = part('results', 'items');
  const shared = mergedSchema(data.map((each) => at(each, 'properties', 'results', 'items', 'properties', 'shared')));
  return {
    type: 'object',
    properties: {
      results: { type: 'array', items: { ...item, properties: { ...at(item, 'properties'), shared } } },
      of: part('of'),
    },
    required: ['results', 'of'],
    additionalProperties: false,
  };
}

/** GET /api/v1/{kind}/{id-or-slug}/similar as a tool. */
export const findSimilarTool: Tool = {
  name: 'find_similar',
  title: 'Find similar entities',
  description:
    'Entities of the same kind that have most in common with one: competitors of a company, investors with the same focus, events of the same sort. Each lists the values that it shares; matchedBy "semantic" is a guess.',
  input: () => inputSchema(describeArguments()),
  output: outputSchema,
  handler(deps) {
    const charged = chargedAs(deps, 'similar', deps.limiters.searches);
    return (ctx, args) =>
      charged(ctx, async () => {
        const wanted = readWanted(args, ['limit', fieldsArgument.name]);
        const found = await findSimilarEntities(deps, ctx, wanted);
        ctx.set(lagHeaders(deps.lag, [wanted.kind]));
        const results = shownItems(found.results, args);
        const text = [similarSummary(found), numbered(results.map((item) => itemLine(item)))];
        return { data: { results, of: found.of }, text: text.filter((part) => part !== '').join('\n') };
      });
  },
};
