import { readFileSync } from 'node:fs';
import { type Environment, SettingsError } from './settings.ts';

// Secrets come from the environment or from files that it names.

/** Variables that are secrets, or addresses that may contain one. Each can be read from a file instead: NAME_FILE. */
export const secretVariables = [
  'DATABASE_URL',
  'ELASTICSEARCH_URL',
  'ELASTICSEARCH_API_KEY',
  'CURSOR_SECRET',
  'EMBEDDINGS_API_KEY',
  'X402_RPC_URL',
  'X402_FACILITATOR_URL',
  'X402_FACILITATOR_HEADERS',
] as const;

const fileBytesMax = 65_536;

/**
 * Returns a process's environment, in which `NAME` has the content of the file that `NAME_FILE` names, without a line
 * break at its end. Throws `SettingsError` if a file can't be read, or both variables are set.
 */
export function readEnvironment(env: Environment, read: (path: string) => string = readSecret): Environment {
  const problems: string[] = [];
  const found: Record<string, string> = {};
  for (const name of secretVariables) {
    const path = env[`${name}_FILE`];
    if (path === undefined || path === '') continue;
    if (env[name] !== undefined && env[name] !== '') {
      problems.push(`${name}_FILE: give either this or ${name}, not both`);
      continue;
    }
    try {
      found[name] = read(path).replace(/\r?\n$/, '');
    } catch (error) {
      const code = error instanceof Error && 'code' in error ? String(error.code) : 'unreadable';
      problems.push(`${name}_FILE: the file ${path} cannot be read (${code}); correct the path or its permissions`);
    }
  }
  if (problems.length > 0) throw new SettingsError(problems);
  return Object.keys(found).length === 0 ? env : { ...env, ...found };
}

function readSecret(path: string): string {
  const text = readFileSync(path, 'utf8');
  if (text.length > fileBytesMax) throw Object.assign(new Error('too long for a secret'), { code: 'EFBIG' });
  return text;
}
