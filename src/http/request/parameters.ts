import type { z } from 'zod';
import { isList } from '../../lib/parameter-schemas.ts';
import { insteadOf, shownName } from '../../lib/text/closest-name.ts';
import { InvalidParameters, type Problem } from '../errors/errors.ts';

/**
 * Returns the aliases of a parameter: `q` and `query` of each other, and a hyphen for `not_`, which generated clients
 * need because a hyphen is not allowed in names.
 */
function otherNames(name: string): readonly string[] {
  if (name === 'query') return ['q'];
  if (name === 'q') return ['query'];
  return name.startsWith('not_') ? [name.replace('not_', '-')] : [];
}

/** Maximum number of unknown names with a suggestion. */
const helpedMax = 10;

/**
 * Parses the parameters of a query string with a schema whose inputs are texts, or arrays of texts for lists. Throws
 * `InvalidParameters` with all problems: unknown and repeated names, then those of the schema.
 * @param misfits returns problems between parameters, whose texts may be invalid
 */
export function parseParameters<Schema extends z.ZodObject>(
  schema: Schema,
  queryString: string,
  misfits: (given: URLSearchParams) => readonly Problem[] = () => [],
): z.output<Schema> {
  const known = Object.keys(schema.shape);
  const { given, sentAs, problems } = withKnownNames(new URLSearchParams(queryString), schema);
  const values: [string, string | string[]][] = [];
  let unknown = 0;
  for (const name of new Set(given.keys())) {
    const all = given.getAll(name);
    const [first = ''] = all;
    if (!known.includes(name)) {
      problems.push(unknownParameter(name, unknown < helpedMax ? known : null));
      unknown += 1;
    } else if (isList(schema.shape[name])) values.push([name, all]);
    else if (all.length > 1) problems.push({ path: name, message: `is given ${all.length} times, once is allowed` });
    else values.push([name, first]);
  }
  const wrong = new Set(problems.map((problem) => problem.path));
  const parsed = schema.safeParse(Object.fromEntries(values));
  // A repeated parameter was left out of what the schema saw, so the schema must not complain that it is missing.
  const found = parsed.success ? [] : parsed.error.issues.map(toProblem).filter(({ path }) => !wrong.has(path));
  const between = misfits(given).filter(({ path }) => !wrong.has(path));
  const all = [...problems, ...found, ...between];
  const [first, ...rest] = all.map(({ path, message }) => ({ path: sentAs.get(path) ?? path, message }));
  if (first !== undefined) throw new InvalidParameters([first, ...rest]);
  if (parsed.success) return parsed.data;
  throw new Error('A schema refused parameters without an issue.', { cause: parsed.error });
}

/** Returns the parameters by the schema's names, and the aliases under which they were sent. */
function withKnownNames(given: URLSearchParams, schema: z.ZodObject) {
  const known = Object.keys(schema.shape);
  const sentAs = new Map<string, string>();
  const problems: Problem[] = [];
  // Most requests have no alias.
  if ([...given.keys()].every((name) => known.includes(name))) return { given, sentAs, problems };
  for (const name of known) {
    const other = otherNames(name).find((each) => given.has(each) && !known.includes(each));
    if (other === undefined) continue;
    const values = given.getAll(other);
    given.delete(other);
    if (!given.has(name)) sentAs.set(name, other);
    if (!given.has(name) || isList(schema.shape[name])) for (const value of values) given.append(name, value);
    else if (values.some((value) => value !== given.get(name))) {
      const message = `means the same as "${name}", which is given with another value: send one of the two`;
      problems.push({ path: other, message });
    }
  }
  return { given, sentAs, problems };
}

/** @param known names to suggest, or null for no suggestion */
function unknownParameter(name: string, known: readonly string[] | null): Problem {
  const path = shownName(name);
  if (known === null) return { path, message: 'is unknown' };
  if (known.length === 0) return { path, message: 'is unknown: no parameter is allowed here' };
  return { path, message: `is unknown${insteadOf(name, known, 'parameters')}` };
}

function toProblem(issue: z.core.$ZodIssue): Problem {
  return { path: issue.path.map(String).join('.'), message: issue.message };
}
