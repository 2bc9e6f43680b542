import { defaultLimits, type Limits } from '../../indexer/limits.ts';
import { type Config, readConfig } from '../../src/config/api.ts';
import type { Environment } from '../../src/config/settings.ts';

// Shorter limits for tests and tortures, where no setting exists: `merged` changes them for code in the same process,
// and the variable LIMITS for programs, through `limited-api.ts` and `limited-cli.ts`.

export type Changes<Whole> = { readonly [Name in keyof Whole]?: Changes<Whole[Name]> };

export function merged<Whole>(whole: Whole, changes: Changes<Whole>): Whole {
  // Leaves are replaced by leaves of the same type.
  return mergedValue(whole, changes) as Whole;
}

function mergedValue(whole: unknown, changes: unknown): unknown {
  if (changes === undefined) return whole;
  if (!isGroup(whole) || !isGroup(changes)) return changes;
  const changed = Object.entries(changes).map(([name, change]) => [
    name,
    mergedValue(Reflect.get(whole, name), change),
  ]);
  return { ...whole, ...Object.fromEntries(changed) };
}

function isGroup(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

type Variables = Readonly<Record<string, string>>;

/** Returns an environment that passes changed limits to the API, in addition to earlier ones. */
export function withApiLimits(env: Variables, changes: Changes<Config>): Variables {
  return { ...env, LIMITS: JSON.stringify(merged(changesOf<Config>(env), changes)) };
}

/** The same for `entity-search`. */
export function withCommandLimits(env: Variables, changes: Changes<Limits>): Variables {
  return { ...env, LIMITS: JSON.stringify(merged(changesOf<Limits>(env), changes)) };
}

export function limitedConfig(env: Environment): Config {
  return merged(readConfig(env), changesOf<Config>(env));
}

export function limitsOf(env: Environment): Limits {
  return merged(defaultLimits, changesOf<Limits>(env));
}

function changesOf<Whole>(env: Environment): Changes<Whole> {
  // The value is from one of the functions above.
  return JSON.parse(env.LIMITS ?? '{}') as Changes<Whole>;
}
