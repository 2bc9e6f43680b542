import type { Context } from '../context.ts';
import { answerJson } from '../response/json.ts';

/** Codes of JSON-RPC 2.0, and the statuses that the protocol has for them. */
const problems = {
  parseError: { code: -32_700, status: 400 },
  invalidRequest: { code: -32_600, status: 400 },
  methodNotFound: { code: -32_601, status: 404 },
  // As the SDK answers what a method refuses.
  invalidParams: { code: -32_602, status: 200 },
} as const;

/** What is answered before the SDK gets to see it. */
export class RefusedMessage extends Error {
  readonly problem: keyof typeof problems;
  /** Of the message; null where it has none that the protocol allows. */
  readonly id: string | number | null;

  constructor(problem: keyof typeof problems, message: string, id: unknown = null) {
    super(message);
    this.name = 'RefusedMessage';
    this.problem = problem;
    this.id = typeof id === 'string' || (typeof id === 'number' && Number.isSafeInteger(id)) ? id : null;
  }
}

/** Answers as JSON-RPC 2.0 has it. */
export function answerRefused(ctx: Context, { problem, id, message }: RefusedMessage): void {
  const { code, status } = problems[problem];
  ctx.status = status;
  answerJson(ctx, { jsonrpc: '2.0', id, error: { code, message, data: { requestId: ctx.state.requestId } } });
}
