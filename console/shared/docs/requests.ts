import type { DocsOperation } from '../../../src/pages/docs.ts';
import type { SnippetRequest } from '../search/code.ts';

/** Replaces the parameters of a path. */
export function filledPath(path: string, values: Readonly<Record<string, string | undefined>>): string {
  return path.replace(/\{(\w+)\}/g, (whole, name: string) => encodeURIComponent(values[name] || whole));
}

/** Returns the example request of an operation. */
export function exampleRequest({ method, path, parameters, body, needsKey }: DocsOperation): SnippetRequest {
  const examples = parameters.filter(({ example }) => example !== null);
  const values = Object.fromEntries(examples.map(({ name, example }) => [name, example ?? '']));
  const inQuery = examples.filter(({ where }) => where === 'query').map(({ name, example }) => [name, example ?? '']);
  return {
    method,
    path: filledPath(path, values),
    params: new URLSearchParams(inQuery),
    needsKey,
    body: body?.example ?? null,
  };
}
