import { createHash } from 'node:crypto';

/** Returns a tag for an answer's data. It is weak, because request id and time differ in answers with the same data. */
export function entityTag(data: unknown): string {
  return `W/"${createHash('sha256').update(JSON.stringify(data)).digest('base64url').slice(0, 27)}"`;
}

/**
 * Returns true if If-None-Match contains the tag. Koa's `fresh` also reads `Cache-Control: no-cache`, which browsers
 * and Node's fetch send with every If-None-Match of a program.
 */
export function hasTag(ifNoneMatch: string, tag: string): boolean {
  if (ifNoneMatch.trim() === '*') return true;
  return [...ifNoneMatch.matchAll(/(?:W\/)?("[^"]*")/g)].some(([, opaque]) => opaque === tag.replace(/^W\//, ''));
}
