import { readFileSync } from 'node:fs';
import { type Environment, SettingsError } from './settings.ts';

// Secrets come from the environment or from files that it names, and are never shown.

/** Variables that are secrets, or addresses with one in them. Each can be given as a file instead: NAME_FILE. */
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
 * A process's environment: with the content of every file that a `NAME_FILE` names under `NAME`; a line break at its
 * end does not count. Throws `SettingsError` where a file can't be read or both ways are used.
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
      problems.push(`${name}_FILE: the file ${path} can not be read (${code}); correct the path or its permissions`);
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

const hidden = '[redacted]';
const secretName = /PASSWORD|SECRET|TOKEN|API_?KEY|HEADERS|CREDENTIAL|PRIVATE/i;
/** Addresses whose path is usually a key. */
const keyedAddress = /^X402_(RPC|FACILITATOR)_URL$/;

/** Returns the addresses of a list, or the value as it is. */
function listed(value: string): readonly string[] {
  return value.split(/,\s*(?=[a-z][a-z0-9+.-]*:\/\/)/i);
}

/** Returns a variable's value without its secret parts. */
function shown(name: string, value: string): string {
  if (secretName.test(name)) return hidden;
  const addresses = listed(value);
  if (addresses.length > 1) return addresses.map((one) => shown(name, one)).join(',');
  const url = /^[a-z][a-z0-9+.-]*:\/\//i.test(value) ? URL.parse(value) : null;
  // The password of an invalid address can't be found.
  if (url === null) return secretVariables.some((one) => one === name) ? hidden : value;
  const user = url.username === '' ? '' : `${url.username}${url.password === '' ? '' : `:${hidden}`}@`;
  const path = keyedAddress.test(name) && url.pathname !== '/' ? `/${hidden}` : url.pathname;
  return `${url.protocol}//${user}${url.host}${path}${url.search === '' ? '' : `?${hidden}`}`;
}

/** Returns every secret text of the environment, for redaction. */
function secretTexts(env: Environment): readonly string[] {
  const texts = Object.entries(env).flatMap(([name, value = '']) => {
    if (value === '' || !(secretName.test(name) || secretVariables.some((one) => one === name))) return [];
    return listed(value).flatMap((one) => secretParts(name, one));
  });
  // A shorter secret would match ordinary words.
  return [...new Set(texts)].filter((text) => text.length >= 4).sort((one, other) => other.length - one.length);
}

function secretParts(name: string, value: string): readonly string[] {
  const url = URL.parse(value);
  if (url === null) return [value, ...quotedIn(value)];
  const keyed = keyedAddress.test(name) ? [url.pathname.slice(1)] : [];
  const parts = [url.password, decoded(url.password), url.search, ...keyed].filter((part) => part !== '');
  return parts.length === 0 ? [] : [value, ...parts];
}

function quotedIn(json: string): readonly string[] {
  return [...json.matchAll(/:\s*"([^"]+)"/g)].map(([, text = '']) => text);
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    // The text is not percent-encoded.
    return text;
  }
}

/** Returns the given variables and the resulting settings as JSON without secrets. */
export function shownSettings(env: Environment, known: readonly string[], effective: object): string {
  const texts = secretTexts(env);
  const given = Object.fromEntries(
    [...known].sort().flatMap((name) => {
      const value = env[name];
      return value === undefined || value === '' ? [] : [[name, shown(name, value)]];
    }),
  );
  const clean = (key: string, value: unknown): unknown => {
    if (typeof value === 'bigint') return value.toString();
    if (typeof value !== 'string') return value;
    if (secretName.test(key)) return hidden;
    const url = shown(key, value);
    return texts.reduce((text, secret) => text.replaceAll(secret, hidden), url);
  };
  return JSON.stringify({ given, effective }, clean, 2);
}

/** Returns the variables that a function reads from an environment. */
export function namesAskedFor(read: (env: Environment) => unknown, env: Environment): readonly string[] {
  const names = new Set<string>();
  read(
    new Proxy(env, {
      get: (target, name) => {
        if (typeof name !== 'string') return undefined;
        names.add(name);
        return target[name];
      },
    }),
  );
  return [...names];
}
