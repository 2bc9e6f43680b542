import json from 'co-body/lib/json.js';
import { z } from 'zod';
import { insteadOf, shownName } from '../../lib/text/closest-name.ts';
import { plainWords } from '../../lib/text/plain-words.ts';
import type { Context } from '../context.ts';
import { BodyNotJson, BodyTooLarge, InvalidParameters, MalformedBody, type Problem } from '../errors/errors.ts';

/** Maximum number of unknown keys with a suggestion. */
const helpedMax = 10;

/** Returns a body that is an object. Throws `MalformedBody` for other values. */
export function objectOf(body: unknown): object {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) throw new MalformedBody('is not an object');
  return body;
}

/** Checks the content of a body with a schema. Throws `InvalidParameters` with all problems. */
export function checkBody<Schema extends z.ZodType>(schema: Schema, given: object): z.output<Schema> {
  const parsed = schema.safeParse(given, { error: plainWords });
  if (parsed.success) return parsed.data;
  const [first, ...rest] = parsed.error.issues.flatMap((issue) => toProblems(issue, schema));
  if (first === undefined) throw new Error('A schema refused a body without an issue.', { cause: parsed.error });
  throw new InvalidParameters([first, ...rest]);
}

/**
 * Reads the body as any JSON value. The last value of a repeated key counts, and a key `__proto__` is refused. Throws
 * `BodyNotJson`, `BodyTooLarge` or `MalformedBody`.
 */
export async function readBody(ctx: Context, maxBytes: number): Promise<unknown> {
  const { type, charset } = ctx.request;
  if (type.toLowerCase() !== 'application/json' || !['', 'utf-8', 'utf8'].includes(charset.toLowerCase()))
    throw new BodyNotJson();
  try {
    return await json(ctx.req, { limit: maxBytes, strict: false });
  } catch (thrown) {
    // Reads and drops the rest of the body, so that the caller can read the answer. The decompressor has stopped
    // reading.
    ctx.req.unpipe().resume();
    const status = thrown instanceof Error && 'status' in thrown ? thrown.status : undefined;
    if (status === 413) throw new BodyTooLarge(maxBytes);
    if (status === 415) throw new BodyNotJson();
    // Errors of decompression and of the socket have an errno: the bytes were wrong or ended early.
    const isFromCaller = status === 400 || (thrown instanceof Error && 'errno' in thrown);
    throw isFromCaller ? new MalformedBody('can not be read as JSON', thrown) : thrown;
  }
}

/** @param schema of the whole body */
function toProblems(issue: z.core.$ZodIssue, schema: z.ZodType): readonly Problem[] {
  const path = issue.path.map(String).join('.');
  if (issue.code !== 'unrecognized_keys') return [{ path, message: issue.message }];
  const known = keysAt(schema, issue.path);
  return issue.keys.map((key, at) => ({
    path: [...issue.path.map(String), shownName(key)].join('.'),
    message: known.length === 0 || at >= helpedMax ? 'is unknown' : `is unknown${insteadOf(key, known, 'fields')}`,
  }));
}

/** Returns the keys of the object at a place of a schema's input, or none if they are unknown. */
function keysAt(schema: unknown, path: readonly PropertyKey[]): readonly string[] {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable || schema instanceof z.ZodDefault)
    return keysAt(schema.unwrap(), path);
  if (schema instanceof z.ZodPipe) return keysAt(schema.in, path);
  const [key, ...rest] = path;
  if (schema instanceof z.ZodArray && key !== undefined) return keysAt(schema.element, rest);
  if (!(schema instanceof z.ZodObject)) return [];
  return key === undefined ? Object.keys(schema.shape) : keysAt(schema.shape[String(key)], rest);
}
