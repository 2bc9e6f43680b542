import { kindNames } from '../../../kinds/kind.ts';
import {
  type BulkRequest,
  bulkKinds,
  bulkRequest,
  idIdentifier,
  slugIdentifier,
} from '../../../records/bulk-request.ts';
import { type BulkFailure, type BulkOutcome, bulkFailures } from '../../../records/bulk-response.ts';
import { lookUp } from '../../endpoints/bulk.ts';
import { countCalls } from '../../middleware/count-calls.ts';
import { toSchema } from '../../openapi/to-schema.ts';
import { checkBody } from '../../request/read-json.ts';
import { compactObject, usualFields } from '../compact.ts';
import { byToolNames, type ToolArguments } from '../tool-arguments.ts';
import { at, fieldsArgument, inputSchema, itemList, outputSchema } from './schemas.ts';
import type { Tool, ToolAnswer } from './tool.ts';

const routeNames = { kind: 'entity_type' };
const operations = ['get', 'exists'] as const;

function describeArguments() {
  const { items: _, ...list } = at(toSchema(bulkRequest, 'input'), 'properties', 'identifiers');
  const forms = [idIdentifier, slugIdentifier].map((identifier) => {
    const { pattern: _pattern, ...schema } = toSchema(identifier, 'input');
    return schema;
  });
  return [
    {
      name: 'operation',
      description: 'get returns the entities; exists only checks which of them exist.',
      schema: { type: 'string', enum: operations, default: 'get' },
    },
    {
      name: 'kind',
      description: 'The kind of all of them.',
      schema: { type: 'string', enum: bulkKinds },
      required: true,
    },
    {
      name: 'identifiers',
      description: 'Either ids or slugs, not both. Each ten of them, or part of ten, cost one call.',
      schema: { ...list, type: 'array', items: { anyOf: forms } },
      required: true,
    },
    fieldsArgument,
  ];
}

const output = outputSchema(
  { entity_type: { type: 'string', enum: bulkKinds }, results: itemList({ exists: { type: 'boolean' } }) },
  ['entity_type', 'results'],
);

/** POST /api/v1/bulk as a tool, without `count`, because `exists` includes it. */
export const lookupEntities: Tool = {
  name: 'lookup_entities',
  title: 'Get or check many entities at once',
  description:
    'Up to 100 entities of one kind by their ids or slugs: their fields, or which of them exist. Those that are not found are left out of a get.',
  input: () => inputSchema(describeArguments()),
  output,
  handler(deps) {
    const counted = countCalls(deps, 'bulk');
    return (ctx, args) =>
      byToolNames(routeNames, async () => {
        const { promise, resolve } = Promise.withResolvers<ToolAnswer>();
        const read = () => checkBody(bulkRequest, bodyOf(args));
        await counted(ctx, () => lookUp(deps, ctx, read, (...outcome) => resolve(answerOf(...outcome))));
        return promise;
      });
  },
};

/** Returns the body of the HTTP request. */
function bodyOf(args: ToolArguments): ToolArguments {
  const given = Object.fromEntries(Object.entries(args).filter(([, value]) => value !== null));
  const { kind, operation = 'get', ...rest } = given;
  const known = kindNames.find((name) => name === kind);
  const fields = operation === 'get' && known !== undefined ? { fields: usualFields(known) } : {};
  return { operation, entity_type: kind, ...fields, ...rest };
}

function answerOf({ entity_type }: BulkRequest, outcome: BulkOutcome | BulkFailure): ToolAnswer {
  if (typeof outcome === 'string')
    return { data: { entity_type, results: [], error: bulkFailures[outcome] }, failed: true };
  const results = Array.isArray(outcome.result) ? outcome.result.map(compactObject) : [];
  return { data: { entity_type, results } };
}
