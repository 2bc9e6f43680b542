import { closestName, shownName } from '../../lib/text/closest-name.ts';
import { InvalidParameters, type Problem } from '../errors/errors.ts';

/** What a tool was called with: whatever its caller, often a model, has written. */
export type ToolArguments = Readonly<Record<string, unknown>>;

/** A body has room for thousands of them. */
const problemsMax = 50;

/** Arguments by the names that their HTTP route has for them, where they differ. */
export type RouteNames = Readonly<Record<string, string>>;

/** Complaints by the tool's own names. */
class InvalidArguments extends InvalidParameters {}

const wanted = 'must be a text, a number, true or false, or a list of those';

/**
 * A tool's arguments as the query string of its HTTP route, which is then read by the route's own schema: one list of
 * parameters, one set of rules, one wording. Models write null and empty lists for what they do not want; neither counts.
 *
 * Throws `InvalidArguments` for arguments that the tool does not have, and for objects.
 * @param known the names of the tool's arguments
 */
export function toQueryString(given: ToolArguments, known: readonly string[], routeNames: RouteNames = {}): string {
  const problems: Problem[] = [];
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(given)) {
    if (problems.length === problemsMax) break;
    const texts = known.includes(name) ? textsOf(value) : [];
    if (!known.includes(name))
      problems.push({ path: shownName(name), message: unknownArgument(name, known, routeNames) });
    else if (texts === null) problems.push({ path: name, message: wanted });
    else for (const text of texts) query.append(routeNames[name] ?? name, text);
  }
  const [first, ...rest] = problems;
  if (first !== undefined) throw new InvalidArguments([first, ...rest]);
  return query.toString();
}

/** What was meant, by the name that the route has for it or by its letters; else all names. */
function unknownArgument(name: string, known: readonly string[], routeNames: RouteNames): string {
  const [ofRoute] = Object.entries(routeNames).find(([, route]) => route === name) ?? [];
  const near = ofRoute ?? closestName(name, known);
  return near === null ? `is unknown, the arguments are ${known.join(', ')}` : `is unknown: did you mean "${near}"?`;
}

/** The values of a parameter as an address has them; null where a value has no such form. */
function textsOf(value: unknown): readonly string[] | null {
  if (value === null || value === undefined) return [];
  if (!Array.isArray(value)) {
    const text = textOf(value);
    return text === null ? null : [text];
  }
  const texts = value.map(textOf);
  // A comma would end the value.
  return texts.includes(null) ? null : texts.map((text) => (text ?? '').replace(/[\\,]/g, '\\$&'));
}

function textOf(value: unknown): string | null {
  if (typeof value === 'string') return value;
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : null;
}

/** The same work, whose complaints about parameters are told by the names that the tool has for them. */
export async function byToolNames<Result>(routeNames: RouteNames, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (thrown) {
    const ofRoute = thrown instanceof InvalidParameters && !(thrown instanceof InvalidArguments);
    throw ofRoute ? renamed(thrown, routeNames) : thrown;
  }
}

function renamed(error: InvalidParameters, routeNames: RouteNames): InvalidParameters {
  const toolNames = new Map(Object.entries(routeNames).map(([own, route]) => [route, own]));
  const [first, ...rest] = (error.reply.details ?? []).map((problem) => {
    const [name = '', ...deeper] = problem.path.split('.');
    return { ...problem, path: [toolNames.get(name) ?? name, ...deeper].join('.') };
  });
  return first === undefined ? error : new InvalidParameters([first, ...rest]);
}
