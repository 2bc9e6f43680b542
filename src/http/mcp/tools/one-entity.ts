import { z } from 'zod';
import { type KindName, kindNames } from '../../../kinds/kind.ts';
import { oneOf } from '../../../lib/parameter-schemas.ts';
import { InvalidParameters } from '../../errors/errors.ts';
import { checkBody } from '../../request/read-json.ts';
import { type ToolArguments, toQueryString } from '../tool-arguments.ts';

/** The arguments that name one entity. Others are parameters of the route. */
const oneEntity = z.looseObject({
  kind: oneOf(kindNames),
  identifier: z.union([z.string(), z.int()], { error: 'is required, and must be an id or a slug' }),
});

export const entityArguments = [
  { name: 'kind', description: 'The kind of the entity.', schema: { type: 'string', enum: kindNames }, required: true },
  {
    name: 'identifier',
    description: 'Its slug or id, as in search results.',
    schema: { anyOf: [{ type: 'string' }, { type: 'integer' }] },
    required: true,
  },
] as const;

/** An entity and the query string of its route. */
export interface WantedEntity {
  readonly kind: KindName;
  readonly identifier: string;
  readonly queryString: string;
}

/**
 * Throws `InvalidParameters`.
 * @param others names of the arguments other than kind and identifier
 */
export function readWanted(args: ToolArguments, others: readonly string[]): WantedEntity {
  const { kind, identifier, ...rest } = checkBody(oneEntity, args);
  const text = String(identifier);
  if (text === '') throw new InvalidParameters([{ path: 'identifier', message: 'must be an id or a slug' }]);
  return { kind, identifier: text, queryString: toQueryString(rest, others) };
}
