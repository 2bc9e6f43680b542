import { suggestNames, suggestOperation } from '../../endpoints/suggest.ts';
import { lagHeaders } from '../../response/lag-header.ts';
import { byToolNames, toQueryString } from '../tool-arguments.ts';
import { argumentsOf, inputSchema, itemList, outputSchema } from './schemas.ts';
import { chargedAs, type Tool } from './tool.ts';

const toolNames: Readonly<Record<string, string>> = { q: 'query', type: 'kind' };
const routeNames = Object.fromEntries(Object.entries(toolNames).map(([route, own]) => [own, route]));

function describeArguments() {
  return argumentsOf(suggestOperation().parameters).map((argument) => ({
    ...argument,
    name: toolNames[argument.name] ?? argument.name,
  }));
}

export const suggestNamesTool: Tool = {
  name: 'suggest_names',
  title: 'Complete a name',
  description:
    'Names that begin with a text, the most prominent first, each with its kind and slug. The quickest way from a name to its slug.',
  input: () => inputSchema(describeArguments()),
  output: outputSchema({ suggestions: itemList() }, ['suggestions']),
  handler(deps) {
    const charged = chargedAs(deps, 'suggest', deps.limiters.searches);
    return (ctx, args) =>
      byToolNames(routeNames, () =>
        charged(ctx, async () => {
          const queryString = toQueryString(args, Object.values(toolNames).concat('limit'), routeNames);
          const { suggestions, kinds } = await suggestNames(deps, ctx, queryString);
          ctx.set(lagHeaders(deps.lag, kinds));
          const named = suggestions.map(({ logo: _, ...suggestion }) => suggestion);
          return { data: { suggestions: named } };
        }),
      );
  },
};
