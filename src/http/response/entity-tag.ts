import { createHash } from 'node:crypto';

/**
 * A tag for an answer's data. Request id and time differ in every answer, so two answers of one tag mean the same without
 * being the same to the byte: that is what a weak tag says.
 */
export function entityTag(data: unknown): string {
  return `W/"${createHash('sha256').update(JSON.stringify(data)).digest('base64url').slice(0, 27)}"`;
}

/**
 * Whether a caller has it already, by his If-None-Match. Koa's `fresh` is not asked: it takes `Cache-Control: no-cache`
 * for a wish to have all again, and browsers and Node's fetch send that along with every If-None-Match of a program.
 */
export function hasTag(ifNoneMatch: string, tag: string): boolean {
  if (ifNoneMatch.trim() === '*') return true;
  return [...ifNoneMatch.matchAll(/(?:W\/)?("[^"]*")/g)].some(([, opaque]) => opaque === tag.replace(/^W\//, ''));
}
