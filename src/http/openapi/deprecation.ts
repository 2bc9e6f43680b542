import { dayMs } from '../../lib/durations.ts';
import type { Json } from '../../lib/wire-schema.ts';

/** What is still there and will not stay. */
export interface Deprecation {
  /** When this was said, in milliseconds since 1970. */
  readonly sinceMs: number;
  /** From when on it may be gone, in milliseconds since 1970. */
  readonly sunsetMs: number;
  /** What to use in its place, as a sentence. */
  readonly instead: string;
}

/** What docs/api.md promises. */
const keptDaysMin = 180;

/**
 * A deprecation that begins and ends with days, each `YYYY-MM-DD` in UTC. Throws where it would end sooner than is
 * promised, and where a day is none.
 */
export function deprecated(since: string, sunset: string, instead: string): Deprecation {
  const [sinceMs, sunsetMs] = [Date.parse(`${since}T00:00:00Z`), Date.parse(`${sunset}T00:00:00Z`)];
  if (!(sunsetMs - sinceMs >= keptDaysMin * dayMs)) {
    throw new Error(`what is deprecated since ${since} stays for ${keptDaysMin} days at least, not until ${sunset}`);
  }
  return { sinceMs, sunsetMs, instead };
}

/** What of an address is deprecated: all of it, or some of its parameters. */
export interface Deprecations {
  readonly deprecated?: Deprecation;
  readonly deprecatedParameters?: Readonly<Record<string, Deprecation>>;
}

/** The operation as the document has it, with what is deprecated marked, and said in words. */
export function markDeprecated(operation: Json, { deprecated: all, deprecatedParameters = {} }: Deprecations): Json {
  const parameters = Array.isArray(operation.parameters) ? operation.parameters : [];
  const named = parameters.map((parameter: Json) => {
    const deprecation = deprecatedParameters[String(parameter.name)];
    return deprecation === undefined ? parameter : marked(parameter, deprecation);
  });
  const whole = parameters.length === 0 ? operation : { ...operation, parameters: named };
  return all === undefined ? whole : marked(whole, all);
}

function marked(described: Json, { sunsetMs, instead }: Deprecation): Json {
  const until = new Date(sunsetMs).toISOString().slice(0, 10);
  const description =
    `Deprecated, and there until ${until} at least. ${instead} ${described.description ?? ''}`.trimEnd();
  return { ...described, deprecated: true, description };
}
