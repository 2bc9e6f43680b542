import { globSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type Environment, SettingsError } from '../../src/config/settings.ts';

const root = join(import.meta.dirname, '..', '..');

export type ReadSettings = (env: Environment) => unknown;

/** All functions that read settings from the environment, in `src/config` and in the indexer's `config.ts`. */
export async function settingsReaders(): Promise<readonly { readonly file: string; readonly read: ReadSettings }[]> {
  const files = globSync('{src/config/{api,console,embeddings,indexer,payments,metrics},indexer/**/config}.ts', {
    cwd: root,
  }).sort();
  const modules = await Promise.all(
    files.map(async (file) => ({ file, module: await import(pathToFileURL(join(root, file)).href) })),
  );
  return modules.flatMap(({ file, module }) =>
    Object.values(module).flatMap((value) => (isReader(value) ? [{ file, read: value }] : [])),
  );
}

function isReader(value: unknown): value is ReadSettings {
  return typeof value === 'function';
}

export function namesRead(read: ReadSettings): readonly string[] {
  const names = new Set<string>();
  const note = (name: string | symbol): undefined => {
    if (typeof name === 'string' && /^[A-Z][A-Z0-9_]*$/.test(name)) names.add(name);
  };
  const env = new Proxy<Record<string, string | undefined>>(
    {},
    {
      get: (_, name) => note(name),
      has: (_, name) => {
        note(name);
        return true;
      },
    },
  );
  try {
    read(env);
  } catch (error) {
    if (!(error instanceof SettingsError)) throw error;
  }
  return [...names];
}

/** Returns the problems for which a configuration refuses settings; none if it accepts them. */
export function problemsOf(work: () => unknown): readonly string[] {
  try {
    work();
    return [];
  } catch (error) {
    if (error instanceof SettingsError) return error.problems;
    throw error;
  }
}
