import { isSpecType, ProtocolError, ProtocolErrorCode, Server, type ServerOptions } from '@modelcontextprotocol/server';
import { listKinds } from '../../kinds/kind.ts';
import { lazily } from '../../lib/lazily.ts';
import { serviceDescription } from '../../lib/service-description.ts';
import type { Deps } from '../../ports.ts';
import type { Context } from '../context.ts';
import { createCallTool } from './call-tool.ts';
import { getPrompt, prompts } from './prompts.ts';
import { createResourceReader, resourceTemplate } from './resources.ts';
import { tools } from './tools/tools.ts';

const { name, title, version } = serviceDescription;
const serverInfo = { name, title, version };

const instructions = `Search over Web3 ${listKinds('and')}. Start with search_entities; results name a kind and a slug, which get_entity, find_similar and lookup_entities take. Every call costs one call of the plan, lookup_entities one for each ten identifiers.`;

/** Lists are the same for all callers and change only with the version. */
const listsKept = { ttlMs: 3_600_000, cacheScope: 'public' } as const;

const options: ServerOptions = {
  capabilities: { tools: {}, resources: {}, prompts: {} },
  instructions,
  // The service elicits nothing. By default, each server would create a validator.
  jsonSchemaValidator: {
    getValidator() {
      throw new Error('The service does not use elicitation.');
    },
  },
  cacheHints: {
    'tools/list': listsKept,
    'prompts/list': listsKept,
    'resources/list': listsKept,
    'resources/templates/list': listsKept,
    'server/discover': listsKept,
  },
};

/** The list of tools for models and people. */
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
 * Returns a function that creates the server of a request. It uses the SDK's low-level server, because the lists are
 * shared and the schemas of the HTTP routes check arguments.
 */
export function createServerFactory(deps: Deps): (ctx: Context) => Server {
  const callTool = createCallTool(deps);
  const readResource = createResourceReader(deps);
  return (ctx) => {
    const server = new Server(serverInfo, options);
    server.setRequestHandler('tools/list', () => toolList());
    server.setRequestHandler('tools/call', ({ params }) => {
      const { name, arguments: args = {}, _meta: meta = {} } = params;
      const called = callTool(ctx, { name, args, meta });
      if (called !== null) return called;
      throw new ProtocolError(ProtocolErrorCode.InvalidParams, `There is no such tool: the tools are ${toolNames}.`);
    });
    server.setRequestHandler('resources/list', () => ({ resources: [] }));
    server.setRequestHandler('resources/templates/list', () => ({ resourceTemplates: [resourceTemplate] }));
    server.setRequestHandler('resources/read', ({ params }) => readResource(ctx, params.uri));
    server.setRequestHandler('prompts/list', () => ({
      prompts: prompts.map(({ text: _, ...prompt }) => ({ ...prompt, arguments: [...prompt.arguments] })),
    }));
    server.setRequestHandler('prompts/get', ({ params }) => getPrompt(params.name, params.arguments));
    return server;
  };
}
