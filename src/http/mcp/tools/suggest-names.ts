import type { Json } from '../../../lib/wire-schema.ts';
import { suggestNames, suggestParts } from '../../endpoints/suggest.ts';
import { lagHeaders } from '../../response/lag-header.ts';
import { itemLine, numbered } from '../readable.ts';
import { byToolNames, toQueryString } from '../tool-arguments.ts';
import { argumentsOf, at, dataSchema, inputSchema, requiring, withProperties } from './schemas.ts';
import { chargedAs, type Tool } from './tool.ts';

const toolNames: Readonly<Record<string, string>> = { q: 'query', type: 'kind' };
const routeNames = Object.fromEntries(Object.entries(toolNames).map(([route, own]) => [own, route]));

function describeArguments() {
  return argumentsOf(suggestParts().parameters).map((argument) => ({
    ...argument,
    name: toolNames[argument.name] ?? argument.name,
  }));
}

function outputSchema(): Json {
  const data = dataSchema(suggestParts().answer);
  const item = withProperties(at(data, 'properties', 'suggestions', 'items'), { logo: undefined });
  return requiring(withProperties(data, { suggestions: { type: 'array', items: item } }), 'suggestions');
}

/** GET /api/v1/suggest as a tool. */
export const suggestNamesTool: Tool = {
  name: 'suggest_names',
  title: 'Complete a name',
  description:
    'Names that begin with a text, the most prominent first, each with its kind and slug. The quickest way from a name to its slug.',
  input: () => inputSchema(describeArguments()),
  output: outputSchema,
  handler(deps) {
    const charged = chargedAs(deps, 'suggest', deps.limiters.searches);
    return (ctx, args) =>
      byToolNames(routeNames, () =>
        charged(ctx, async () => {
          const queryString = toQueryString(args, Object.values(toolNames).concat('limit'), routeNames);
          const { suggestions, kinds } = await suggestNames(deps, ctx, queryString);
          ctx.set(lagHeaders(deps.lag, kinds));
          const named = suggestions.map(({ logo: _, ...suggestion }) => suggestion);
          const text = named.length === 0 ? 'Nothing to suggest.' : numbered(named.map((item) => itemLine(item)));
          return { data: { suggestions: named }, text };
        }),
      );
  },
};
