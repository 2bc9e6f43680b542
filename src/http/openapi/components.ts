import { z } from 'zod';
import { entityId, type KindName, kindNames, location, mapKinds, reference } from '../../kinds/kind.ts';
import { role } from '../../kinds/people.ts';
import { kinds } from '../../kinds/registry.ts';
import { count, instant } from '../../lib/wire-schema.ts';

// Schemas that several endpoints share, with their names in the OpenAPI document.

/** The document's `components.schemas`. */
export const components = z.registry<{ id: string }>();

location.register(components, { id: 'Location' });
reference.register(components, { id: 'EntityReference' });
role.register(components, { id: 'Role' });

export const entityKind = z.enum(kindNames).register(components, { id: 'EntityKind' });
export const milliseconds = count.describe('Milliseconds');

export const meta = z
  .strictObject({
    requestId: z.guid().describe('The same as the header X-Request-Id'),
    timestamp: instant,
    version: z.literal('v1'),
  })
  .register(components, { id: 'Meta' });

/** Returns the schema of an object with optional properties of the same form. */
export function someOf(names: readonly string[], value: z.ZodType) {
  return z.strictObject(Object.fromEntries(names.map((name) => [name, value.optional()])));
}

/** Returns the schema of the keyed API's answer around `data`. */
export function envelopeOf(data: z.ZodType) {
  const message = z.string().describe('A sentence for people, not for programs');
  return z.strictObject({ success: z.literal(true), data, message, meta });
}

export const problem = z
  .strictObject({ path: z.string().describe('The parameter, or the place in the body'), message: z.string() })
  .register(components, { id: 'Problem' });

export const errorAnswer = z
  .strictObject({
    error: z.string().describe('The problem and the next step, for people'),
    code: z
      .string()
      .regex(/^[a-z0-9_]+$/)
      .describe('Stable, for programs'),
    details: z.array(problem).max(50).optional().describe('All problems with the parameters or the body at once'),
  })
  .register(components, { id: 'Error' });

/** Returns the schema of a record. With `fields`, it may lack all fields except the id. */
function recordOf(kind: KindName) {
  return kinds[kind].record
    .partial()
    .extend({ id: entityId })
    .describe(`One of the ${kind}. It has all fields unless "fields" selects some; a field without a value is null.`)
    .register(components, { id: kinds[kind].singular });
}

export const records = mapKinds(recordOf);
