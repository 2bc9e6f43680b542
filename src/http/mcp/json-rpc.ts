import type { Context } from '../context.ts';
import { answerJson } from '../response/json.ts';

/** Codes of JSON-RPC 2.0, and the statuses that the protocol has for them. */
const problems = {
  parseError: { code: -32_700, status: 400 },
  invalidRequest: { code: -32_600, status: 400 },
  methodNotFound: { code: -32_601, status: 404 },
  // The same as the SDK's status.
  invalidParams: { code: -32_602, status: 200 },
} as const;

/** A message that is refused before the SDK reads it. */
export class RefusedMessage extends Error {
  readonly problem: keyof typeof problems;
  /** The message's id, or null without a valid one. */
  readonly id: string | number | null;

  constructor(problem: keyof typeof problems, message: string, id: unknown = null) {
    super(message);
    this.name = 'RefusedMessage';
    this.problem = problem;
    this.id = typeof id === 'string' || (typeof id === 'number' && Number.isSafeInteger(id)) ? id : null;
  }
}

/** Answers with an error of JSON-RPC 2.0. */
export function answerRefused(ctx: Context, { problem, id, message }: RefusedMessage): void {
  const { code, status } = problems[problem];
  ctx.status = status;
  answerJson(ctx, { jsonrpc: '2.0', id, error: { code, message, data: { requestId: ctx.state.requestId } } });
}
