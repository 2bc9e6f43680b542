import { json } from 'co-body';
import { z } from 'zod';
import { insteadOf, shownName } from '../../lib/text/closest-name.ts';
import { plainWords } from '../../lib/text/plain-words.ts';
import type { Context } from '../context.ts';
import { BodyNotJson, BodyTooLarge, InvalidParameters, MalformedBody, type Problem } from '../errors/errors.ts';

/** For so many unknown keys the nearest known ones are looked for; more help nobody. */
const helpedMax = 10;

/**
 * The request's body, which is a JSON object, checked with a schema. Of a repeated key the last value counts, as
 * everywhere in JavaScript; a key `__proto__` is refused.
 *
 * Throws `BodyNotJson`, `BodyTooLarge`, `MalformedBody`, or `InvalidParameters` with all problems at once.
 */
export async function readJson<Schema extends z.ZodType>(
  ctx: Context,
  schema: Schema,
  maxBytes: number,
): Promise<z.output<Schema>> {
  const given = await readBody(ctx, maxBytes);
  if (typeof given !== 'object' || given === null || Array.isArray(given)) throw new MalformedBody('is no object');
  return checkBody(schema, given);
}

/** What a body holds, checked with a schema. Throws `InvalidParameters` with all problems at once. */
export function checkBody<Schema extends z.ZodType>(schema: Schema, given: object): z.output<Schema> {
  const parsed = schema.safeParse(given, { error: plainWords });
  if (parsed.success) return parsed.data;
  const [first, ...rest] = parsed.error.issues.flatMap((issue) => toProblems(issue, schema));
  if (first === undefined) throw new Error('a schema refused a body without saying why', { cause: parsed.error });
  throw new InvalidParameters([first, ...rest]);
}

/** The request's body, whatever JSON it is. Throws `BodyNotJson`, `BodyTooLarge` or `MalformedBody`. */
export async function readBody(ctx: Context, maxBytes: number): Promise<unknown> {
  const { type, charset } = ctx.request;
  if (type.toLowerCase() !== 'application/json' || !['', 'utf-8', 'utf8'].includes(charset.toLowerCase()))
    throw new BodyNotJson();
  try {
    return await json(ctx.req, { limit: maxBytes, strict: false });
  } catch (thrown) {
    // What is still on its way is read and dropped, so that the caller gets to read the answer. What unpacks it no longer
    // takes anything, and would hold it back.
    ctx.req.unpipe().resume();
    const status = thrown instanceof Error && 'status' in thrown ? thrown.status : undefined;
    if (status === 413) throw new BodyTooLarge(maxBytes);
    if (status === 415) throw new BodyNotJson();
    // Unpacking and the socket fail with a number: the bytes were not what was announced, or ended early.
    const theirs = status === 400 || (thrown instanceof Error && 'errno' in thrown);
    throw theirs ? new MalformedBody('can not be read as JSON', thrown) : thrown;
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

/** The keys of the object at a place of what a schema takes; none where it can't be told. */
function keysAt(schema: unknown, path: readonly PropertyKey[]): readonly string[] {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable || schema instanceof z.ZodDefault)
    return keysAt(schema.unwrap(), path);
  if (schema instanceof z.ZodPipe) return keysAt(schema.in, path);
  const [key, ...rest] = path;
  if (schema instanceof z.ZodArray && key !== undefined) return keysAt(schema.element, rest);
  if (!(schema instanceof z.ZodObject)) return [];
  return key === undefined ? Object.keys(schema.shape) : keysAt(schema.shape[String(key)], rest);
}
