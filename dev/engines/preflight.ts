import { findJdk, findOnPath, type Jdk, oldestJdk } from './elasticsearch/jdk.ts';

/** A tool that the local stack needs is missing. The message names the package to install. */
export class MissingToolError extends Error {
  override readonly name = 'MissingToolError';
}

export interface Tools {
  readonly jdk: Jdk;
  /** Undefined if there is nothing to fetch. */
  readonly maven: string | undefined;
}

/** Finds the tools. Throws a `MissingToolError` with one sentence that names all missing ones. */
export function findTools(
  env: Readonly<Record<string, string | undefined>>,
  needs: { readonly maven: boolean },
): Tools {
  const jdk = findJdk(env);
  const maven = needs.maven ? findOnPath('mvn', env.PATH) : undefined;
  const missing = [
    ...(jdk === undefined
      ? [`a JDK ${oldestJdk} or newer (for example Eclipse Temurin 25, in PATH or JAVA_HOME)`]
      : []),
    ...(needs.maven && maven === undefined ? ['Maven 3 (the command mvn in PATH)'] : []),
  ];
  if (jdk === undefined || missing.length > 0) throw new MissingToolError(missingSentence(missing));
  return { jdk, maven };
}

function missingSentence(missing: readonly string[]): string {
  return `The local Elasticsearch needs ${missing.join(' and ')}: install that, start Docker, or set ELASTICSEARCH_URL to a cluster of yours.`;
}
