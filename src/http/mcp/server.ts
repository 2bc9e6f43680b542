import { isSpecType, ProtocolError, ProtocolErrorCode, Server, type ServerOptions } from '@modelcontextprotocol/server';
import { listKinds } from '../../kinds/kind.ts';
import { lazily } from '../../lib/lazily.ts';
import { serviceDescription } from '../../lib/service-description.ts';
import type { Deps } from '../../ports.ts';
import type { Context } from '../context.ts';
import { createCallTool } from './call-tool.ts';
import { tools } from './tools/tools.ts';

const { name, title, version } = serviceDescription;
const serverInfo = { name, title, version };

const instructions = `Search over Web3 ${listKinds('and')}. Start with search_entities; results name a kind and a slug, which get_entity, find_similar and lookup_entities take. Every call costs one call of the plan, lookup_entities one for each ten identifiers.`;

/** The list is the same for all callers and changes only with the version. */
const listsKept = { ttlMs: 3_600_000, cacheScope: 'public' } as const;

const options: ServerOptions = {
  capabilities: { tools: {} },
  instructions,
  // The service elicits nothing. By default, each server would create a validator.
  jsonSchemaValidator: {
    getValidator() {
      throw new Error('The service does not use elicitation.');
    },
  },
  cacheHints: { 'tools/list': listsKept, 'server/discover': listsKept },
};

export const toolList = lazily(() => {
  const list: unknown = {
    tools: tools.map(({ name, title, description, input, output }) => ({
      name,
      title,
      description,
      inputSchema: input(),
      outputSchema: output,
      // The tools only read, and the data changes over time.
      annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: true },
    })),
  };
  if (!isSpecType.ListToolsResult(list)) throw new Error('The list of tools does not match the protocol.');
  return list;
});

const toolNames = tools.map(({ name }) => name).join(', ');

/**
 * Returns a function that creates the server of a request. It uses the SDK's low-level server, because the list is
 * shared and the schemas of the HTTP routes check arguments.
 */
export function createServerFactory(deps: Deps): (ctx: Context) => Server {
  const callTool = createCallTool(deps);
  return (ctx) => {
    const server = new Server(serverInfo, options);
    server.setRequestHandler('tools/list', () => toolList());
    server.setRequestHandler('tools/call', ({ params }) => {
      const { name, arguments: args = {}, _meta: meta = {} } = params;
      const called = callTool(ctx, { name, args, meta });
      if (called !== null) return called;
      throw new ProtocolError(ProtocolErrorCode.InvalidParams, `There is no such tool: the tools are ${toolNames}.`);
    });
    return server;
  };
}
