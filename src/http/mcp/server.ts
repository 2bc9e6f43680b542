import { isSpecType, ProtocolError, ProtocolErrorCode, Server, type ServerOptions } from '@modelcontextprotocol/server';
import { listKinds } from '../../kinds/kind.ts';
import { lazily } from '../../lib/lazily.ts';
import { serviceDescription } from '../../lib/service-description.ts';
import type { Deps } from '../../ports.ts';
import type { Context } from '../context.ts';
import { createCallTool } from './call-tool.ts';
import { getPrompt, prompts } from './prompts.ts';
import { createResources, resourceTemplate } from './resources.ts';
import { orError } from './tool-errors.ts';
import { tools } from './tools/tools.ts';

const { name, title, version } = serviceDescription;
const serverInfo = { name, title, version };

const instructions = `Search over Web3 ${listKinds('and')}. Start with search_entities; results name a kind and a slug, which get_entity, find_similar and lookup_entities take. Every call costs one call of the plan, lookup_entities one for each ten identifiers.`;

/** Lists are the same for everyone and change with the version only. */
const listsKept = { ttlMs: 3_600_000, cacheScope: 'public' } as const;

const options: ServerOptions = {
  capabilities: { tools: {}, resources: {}, prompts: {}, completions: {} },
  instructions,
  // Nothing is elicited, so nothing has to be validated; by default each server would set up a validator.
  jsonSchemaValidator: {
    getValidator() {
      throw new Error('nothing is elicited here');
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

/** All that models and people are told of the tools. */
export const toolList = lazily(() => {
  const list: unknown = {
    tools: tools.map(({ name, title, description, input, output }) => ({
      name,
      title,
      description,
      inputSchema: input(),
      outputSchema: orError(output()),
      // They read, and what they read changes by itself.
      annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: true },
    })),
  };
  if (!isSpecType.ListToolsResult(list)) throw new Error('the list of tools is not as the protocol has it');
  return list;
});

const toolNames = tools.map(({ name }) => name).join(', ');

/**
 * Makes the server of one request. The low-level server of the SDK, as the lists are made once for all of them, and
 * arguments are checked by the schemas of the HTTP routes.
 */
export function createServerFactory(deps: Deps): (ctx: Context) => Server {
  const callTool = createCallTool(deps);
  const resources = createResources(deps);
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
    server.setRequestHandler('resources/read', ({ params }) => resources.read(ctx, params.uri));
    server.setRequestHandler('completion/complete', ({ params }) => resources.complete(ctx, params));
    server.setRequestHandler('prompts/list', () => ({
      prompts: prompts.map(({ text: _, ...prompt }) => ({ ...prompt, arguments: [...prompt.arguments] })),
    }));
    server.setRequestHandler('prompts/get', ({ params }) => getPrompt(params.name, params.arguments));
    return server;
  };
}
