import type { z } from 'zod';
import { isList } from '../../lib/parameter-schemas.ts';
import { InvalidParameters, type Problem } from '../errors/errors.ts';

/** A name from the request is repeated in messages, but never at length. */
const shownNameMax = 64;

/**
 * The parameters of a query string, checked with a schema whose inputs are texts, or arrays of texts for lists.
 * Throws `InvalidParameters` with all problems at once: unknown and repeated names, then what the schema found.
 * @param misfits what is wrong between parameters; told along with the rest, so it sees texts that may be wrong alone
 */
export function parseParameters<Schema extends z.ZodObject>(
  schema: Schema,
  queryString: string,
  misfits: (given: URLSearchParams) => readonly Problem[] = () => [],
): z.output<Schema> {
  const given = new URLSearchParams(queryString);
  const names = [...new Set(given.keys())];
  const known = Object.keys(schema.shape);
  const values: [string, string | string[]][] = [];
  const problems: Problem[] = [];
  for (const name of names) {
    const all = given.getAll(name);
    const [first = ''] = all;
    if (!known.includes(name)) problems.push(unknownParameter(name, known));
    else if (isList(schema.shape[name])) values.push([name, all]);
    else if (all.length > 1) problems.push({ path: name, message: `is given ${all.length} times, once is allowed` });
    else values.push([name, first]);
  }
  const repeated = new Set(problems.map((problem) => problem.path));
  const parsed = schema.safeParse(Object.fromEntries(values));
  // A repeated parameter was left out of what the schema saw, so the schema must not complain that it is missing.
  const found = parsed.success ? [] : parsed.error.issues.map(toProblem).filter(({ path }) => !repeated.has(path));
  const between = misfits(given).filter(({ path }) => !repeated.has(path));
  const [first, ...rest] = [...problems, ...found, ...between];
  if (first !== undefined) throw new InvalidParameters([first, ...rest]);
  if (parsed.success) return parsed.data;
  throw new Error('a schema refused parameters without saying why', { cause: parsed.error });
}

function unknownParameter(name: string, known: readonly string[]): Problem {
  const allowed = known.length === 0 ? 'no parameter is allowed here' : `the parameters are ${known.join(', ')}`;
  return { path: shownName(name), message: `is unknown, ${allowed}` };
}

/** A name from the request as messages repeat it. */
export function shownName(name: string): string {
  return Array.from(name).slice(0, shownNameMax).join('');
}

function toProblem(issue: z.core.$ZodIssue): Problem {
  return { path: issue.path.map(String).join('.'), message: issue.message };
}
