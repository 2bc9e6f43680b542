import { closestName, shownName } from '../../lib/text/closest-name.ts';
import { InvalidParameters, type Problem } from '../errors/errors.ts';

/** The unchecked arguments of a call, often written by a model. */
export type ToolArguments = Readonly<Record<string, unknown>>;

/** Maximum number of reported problems. A body can have thousands. */
const problemsMax = 50;

/** Parameters of the HTTP route by the arguments with other names. */
export type RouteNames = Readonly<Record<string, string>>;

/** Problems with the names of the tool's arguments. */
class InvalidArguments extends InvalidParameters {}

const wanted = 'must be a text, a number, true or false, or a list of those';

/**
 * Turns a tool's arguments into the query string of its HTTP route, whose schema then checks them. Ignores null and
 * empty lists, which models write for arguments that they do not need. Throws `InvalidArguments` for unknown arguments
 * and for objects.
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

/** Suggests an argument by the route's name for it or by its spelling. Otherwise lists all arguments. */
function unknownArgument(name: string, known: readonly string[], routeNames: RouteNames): string {
  const [ofRoute] = Object.entries(routeNames).find(([, route]) => route === name) ?? [];
  const near = ofRoute ?? closestName(name, known);
  return near === null ? `is unknown, the arguments are ${known.join(', ')}` : `is unknown: did you mean "${near}"?`;
}

/** Returns the values of a parameter as texts, or null if one is an object. */
function textsOf(value: unknown): readonly string[] | null {
  if (value === null || value === undefined) return [];
  if (!Array.isArray(value)) {
    const text = textOf(value);
    return text === null ? null : [text];
  }
  const texts = value.map(textOf);
  // An unescaped comma would end the value.
  return texts.includes(null) ? null : texts.map((text) => (text ?? '').replace(/[\\,]/g, '\\$&'));
}

function textOf(value: unknown): string | null {
  if (typeof value === 'string') return value;
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : null;
}

/** Runs work and renames the parameters in its problems to the tool's arguments. */
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
