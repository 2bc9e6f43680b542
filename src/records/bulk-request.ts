import { z } from 'zod';
import { recordFields } from '../kinds/fields.ts';
import { oneOf } from '../lib/parameter-schemas.ts';
import { insteadOf } from '../lib/text/closest-name.ts';
import { canBeSlug, type Identifiers, slugMax } from './identifiers.ts';

export const bulkOperations = ['get', 'exists', 'count'] as const;
/** Section 4.2, and events beyond it. */
export const bulkKinds = ['companies', 'people', 'investors', 'events'] as const;
export const identifiersMax = 100;
const fieldsMax = 100;
/** Number of identifiers that cost one call. */
const identifiersPerCall = 10;

export type BulkOperation = (typeof bulkOperations)[number];
export type BulkKind = (typeof bulkKinds)[number];

export interface BulkRequest {
  readonly operation: BulkOperation;
  readonly entity_type: BulkKind;
  readonly identifiers: Identifiers;
  readonly fields?: readonly string[] | undefined;
}

const idOrSlug = `must be a whole number from 1 to ${Number.MAX_SAFE_INTEGER}, or a slug of at most ${slugMax} characters`;
const listHelp = `must be a list of 1 to ${identifiersMax} ids, or of as many slugs`;

const error = idOrSlug;
export const idIdentifier = z.int({ error }).positive({ error });
export const slugIdentifier = z
  .string()
  .refine(canBeSlug, { error })
  .meta({ minLength: 1, maxLength: slugMax, pattern: '^[^\\u0000-\\u001f\\u007f-\\u009f]+$' });
const identifier = z.union([idIdentifier, slugIdentifier], { error });

const identifiers = z
  .array(z.unknown(), {
    error: (issue) => (issue.input === undefined ? `is required, and ${listHelp}` : listHelp),
  })
  .min(1, { error: listHelp, abort: true })
  .max(identifiersMax, {
    error: (issue) => `${listHelp}; ${Array.isArray(issue.input) ? issue.input.length : 'more'} were sent`,
    abort: true,
  })
  .pipe(z.array(identifier))
  .transform((list, context): Identifiers => {
    const ids = list.filter((item) => typeof item === 'number');
    const slugs = list.filter((item) => typeof item === 'string');
    if (ids.length > 0 && slugs.length > 0) {
      context.addIssue({ code: 'custom', message: 'must be ids only or slugs only, not both in one request' });
    }
    return slugs.length > 0 ? { by: 'slug', values: slugs } : { by: 'id', values: ids };
  });

const fieldsHelp = `must be a list of 1 to ${fieldsMax} field names`;

/** The body of a bulk request. Problems are reported with their path. */
export const bulkRequest = z
  .strictObject({
    operation: oneOf(bulkOperations),
    entity_type: oneOf(bulkKinds),
    identifiers,
    fields: z
      .array(z.string({ error: 'must be a field name' }), { error: fieldsHelp })
      .min(1, { error: fieldsHelp })
      .max(fieldsMax, { error: fieldsHelp })
      .optional(),
  })
  .check(
    z.superRefine((given, context) => {
      if (given.fields === undefined) return;
      if (given.operation !== 'get') {
        context.addIssue({ code: 'custom', path: ['fields'], message: 'applies only to "get"' });
      }
      const known = recordFields([given.entity_type]);
      for (const [at, name] of given.fields.entries()) {
        if (known.includes(name)) continue;
        const message = `is unknown${insteadOf(name, known, `fields of ${given.entity_type}`)}`;
        context.addIssue({ code: 'custom', path: ['fields', at], message });
      }
    }),
  );

/** Returns the cost of a bulk request in calls: one for each started ten identifiers. */
export function bulkCost(identifiersSent: number): number {
  return Math.ceil(identifiersSent / identifiersPerCall);
}
