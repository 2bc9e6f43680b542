import { existsSync, readdirSync, realpathSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { hasCode } from '../../lib/processes.ts';
import { readOptional } from '../../lib/state.ts';

export interface Jdk {
  readonly home: string;
  readonly major: number;
}

/** Elasticsearch 9 is compiled for this version. */
export const oldestJdk = 21;

/**
 * Returns the newest JDK (with a compiler) of version 21 or later in JAVA_HOME, PATH and the usual folders of Linux and
 * macOS; undefined if there is none.
 */
export function findJdk(env: Readonly<Record<string, string | undefined>>): Jdk | undefined {
  const found = candidateHomes(env).flatMap((home) => inspect(home) ?? []);
  return newest(found);
}

/** Returns the newest one that is new enough. Among equals it is the first, so that JAVA_HOME wins. */
export function newest(jdks: readonly Jdk[]): Jdk | undefined {
  return jdks
    .filter((jdk) => jdk.major >= oldestJdk)
    .reduce<Jdk | undefined>((best, jdk) => (best === undefined || jdk.major > best.major ? jdk : best), undefined);
}

/** Returns the major version in the text of a JDK's `release` file. */
export function majorVersion(release: string): number | undefined {
  const version = /^JAVA_VERSION="(?:1\.)?(\d+)/m.exec(release)?.[1];
  return version === undefined ? undefined : Number(version);
}

export function findOnPath(program: string, path: string | undefined): string | undefined {
  return (path ?? '')
    .split(delimiter)
    .filter((folder) => folder !== '')
    .map((folder) => join(folder, program))
    .find((file) => existsSync(file));
}

function candidateHomes(env: Readonly<Record<string, string | undefined>>): readonly string[] {
  const onPath = findOnPath('javac', env.PATH);
  return [
    ...(env.JAVA_HOME ? [env.JAVA_HOME] : []),
    ...(onPath === undefined ? [] : [dirname(dirname(realpathSync(onPath)))]),
    ...foldersIn('/usr/lib/jvm'),
    ...foldersIn('/opt'),
    ...foldersIn('/opt/java'),
    ...foldersIn('/Library/Java/JavaVirtualMachines').map((folder) => join(folder, 'Contents', 'Home')),
  ];
}

function inspect(home: string): Jdk | undefined {
  const tools = ['java', 'javac', 'jar'].map((tool) => join(home, 'bin', tool));
  if (!tools.every((tool) => existsSync(tool))) return undefined;
  const major = majorVersion(readOptional(join(home, 'release')) ?? '');
  return major === undefined ? undefined : { home, major };
}

function foldersIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder).map((name) => join(folder, name));
  } catch (error) {
    if (['ENOENT', 'ENOTDIR', 'EACCES'].some((code) => hasCode(error, code))) return [];
    throw error;
  }
}
