import { json } from 'co-body';
import type { z } from 'zod';
import { plainWords } from '../../lib/plain-words.ts';
import type { Context } from '../context.ts';
import { BodyNotJson, BodyTooLarge, InvalidParameters, MalformedBody, type Problem } from '../errors/errors.ts';
import { shownName } from './parameters.ts';

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
  const { type, charset } = ctx.request;
  if (type.toLowerCase() !== 'application/json' || !['', 'utf-8', 'utf8'].includes(charset.toLowerCase()))
    throw new BodyNotJson();
  const given = await read(ctx, maxBytes);
  if (typeof given !== 'object' || given === null || Array.isArray(given)) throw new MalformedBody('is no object');
  const parsed = schema.safeParse(given, { error: plainWords });
  if (parsed.success) return parsed.data;
  const [first, ...rest] = parsed.error.issues.flatMap(toProblems);
  if (first === undefined) throw new Error('a schema refused a body without saying why', { cause: parsed.error });
  throw new InvalidParameters([first, ...rest]);
}

async function read(ctx: Context, maxBytes: number): Promise<unknown> {
  try {
    return await json(ctx.req, { limit: maxBytes, strict: false });
  } catch (thrown) {
    const status = thrown instanceof Error && 'status' in thrown ? thrown.status : undefined;
    if (status === 413) {
      // What is still on its way is read and dropped, so that the caller gets to read the answer.
      ctx.req.resume();
      throw new BodyTooLarge(maxBytes);
    }
    if (status === 415) throw new BodyNotJson();
    // Unpacking and the socket fail with a number: the bytes were not what was announced, or ended early.
    const theirs = status === 400 || (thrown instanceof Error && 'errno' in thrown);
    throw theirs ? new MalformedBody('can not be read as JSON', thrown) : thrown;
  }
}

function toProblems(issue: z.core.$ZodIssue): readonly Problem[] {
  const path = issue.path.map(String).join('.');
  if (issue.code !== 'unrecognized_keys') return [{ path, message: issue.message }];
  return issue.keys.map((key) => ({ path: shownName(key), message: 'is unknown, and nothing is ignored here' }));
}
