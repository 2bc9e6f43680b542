import type { Stored } from '../../account/ports.ts';
import type { Clock } from '../../ports.ts';
import type { Context } from '../context.ts';
import { ServiceUnavailable } from '../errors/errors.ts';
import { envelope } from '../response/envelope.ts';
import { answerJson } from '../response/json.ts';

/** Answers in the form that all of the account's API has. */
export function answer(ctx: Context, clock: Clock, data: object, message: string): void {
  answerJson(ctx, envelope(data, message, ctx.state.requestId, clock));
}

/** What Postgres answered. Throws `ServiceUnavailable` where it could not. */
export function fromStore<Value>(stored: Stored<Value>): Value {
  if (!stored.ok) throw new ServiceUnavailable(stored.cause);
  return stored.value;
}
