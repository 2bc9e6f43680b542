import type { Context } from '../context.ts';
import { answerJson } from '../response/json.ts';

/** Codes of JSON-RPC 2.0. */
const codes = { parseError: -32_700, invalidRequest: -32_600, methodNotFound: -32_601 } as const;

/** A body that is no message, so that no request of the protocol could be answered. */
export class NotAMessage extends Error {
  readonly code: number;

  constructor(reason: keyof typeof codes, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'NotAMessage';
    this.code = codes[reason];
  }
}

/** Answers as JSON-RPC 2.0 has it; without an id, as none could be read. */
export function answerNotAMessage(ctx: Context, { code, message }: NotAMessage): void {
  ctx.status = 400;
  const data = { requestId: ctx.state.requestId };
  answerJson(ctx, { jsonrpc: '2.0', id: null, error: { code, message, data } });
}
