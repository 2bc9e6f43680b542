import { paidKinds, paidSearchLimits, paidToolLimitMax } from './paid-search.ts';

// The tool's parameters and answers for catalogues (bazaar), which know a tool by the address of its server and its
// name. Only parameters that work without a key are listed: nothing else is sold.

/** The one tool that answers without a key. */
export const paidToolName = 'search_entities';

/** JSON Schema of the arguments that may be paid for. */
export const paidToolInput = {
  type: 'object',
  properties: {
    query: { type: 'string', maxLength: paidSearchLimits.queryMax, description: 'Text to search for' },
    kind: { type: 'string', enum: [...paidKinds, 'all'], default: 'all' },
    limit: {
      type: 'integer',
      minimum: 1,
      maximum: paidToolLimitMax,
      default: paidToolLimitMax,
      description: 'Divided evenly when kind is all',
    },
  },
  additionalProperties: false,
} as const;

const input = {
  type: 'mcp',
  toolName: paidToolName,
  description: 'Search over Web3 companies, people and investors',
  transport: 'streamable-http',
  inputSchema: paidToolInput,
  example: { query: 'zero knowledge', kind: 'companies', limit: 3 },
} as const;

const output = {
  type: 'json',
  example: {
    results: [{ entity_type: 'companies', id: 806, name: 'Plover Spire', slug: 'plover-spire' }],
  },
} as const;

/** The extension `bazaar` of an offer over MCP. */
export const mcpBazaar = {
  info: { input, output },
  schema: {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    type: 'object',
    properties: {
      input: {
        type: 'object',
        properties: {
          type: { const: 'mcp' },
          toolName: { type: 'string' },
          description: { type: 'string' },
          transport: { enum: ['streamable-http', 'sse'] },
          inputSchema: { type: 'object' },
          example: { type: 'object' },
        },
        required: ['type', 'toolName', 'inputSchema'],
        additionalProperties: false,
      },
      output: {
        type: 'object',
        properties: { type: { type: 'string' }, example: { type: 'object' } },
        required: ['type'],
      },
    },
    required: ['input'],
  },
} as const;
