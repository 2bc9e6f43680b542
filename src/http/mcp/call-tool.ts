import type { CallToolResult } from '@modelcontextprotocol/server';
import { paidToolName } from '../../payments/protocol/mcp-discovery.ts';
import { holdsOffer } from '../../payments/protocol/mcp-transport.ts';
import type { Deps } from '../../ports.ts';
import type { Context } from '../context.ts';
import { installationOf } from '../endpoint.ts';
import { toApiError } from '../errors/errors.ts';
import { reportError } from '../middleware/handle-errors.ts';
import { errorData, errorText, KeyMissing } from './errors.ts';
import { createPaidTool } from './paid-tool.ts';
import type { ToolArguments } from './tool-arguments.ts';
import type { ToolAnswer } from './tools/tool.ts';
import { tools } from './tools/tools.ts';

interface ToolRequest {
  readonly name: string;
  readonly args: ToolArguments;
  readonly meta: Readonly<Record<string, unknown>>;
}

/** Answers a call. Errors are results too, so that models can read them. Returns null for an unknown name. */
type CallTool = (ctx: Context, request: ToolRequest) => Promise<CallToolResult> | null;

export function createCallTool(deps: Deps): CallTool {
  const handlers = new Map(tools.map((tool) => [tool.name, tool.handler(deps)]));
  const paidTool = deps.paidSearch && createPaidTool(deps, deps.paidSearch);
  return (ctx, { name, args, meta }) => {
    const handler = handlers.get(name);
    if (handler === undefined) return null;
    return observed(deps, ctx, name, async () => {
      if (ctx.state.caller === undefined) {
        if (paidTool !== null && name === paidToolName) return paidTool({ args, meta, ctx });
        throw new KeyMissing(installationOf(deps));
      }
      return resultOf(await handler(ctx, args));
    });
  };
}

/** Runs a call, turns its errors into results, and records the outcome for log and metrics. */
async function observed(
  { meter, clock }: Pick<Deps, 'meter' | 'clock'>,
  ctx: Context,
  tool: string,
  call: () => Promise<CallToolResult>,
): Promise<CallToolResult> {
  const startedMs = clock.elapsed();
  // If the client leaves, the log line is written before there is an outcome.
  ctx.state.tool = { name: tool };
  let outcome = 'answered';
  try {
    const result = await call();
    // Reasons of refused payments are counted with the payments.
    if (result.isError) outcome = holdsOffer(result) ? 'payment_required' : 'failed';
    return result;
  } catch (thrown) {
    const error = toApiError(thrown);
    reportError(ctx, error);
    outcome = error.reply.code;
    return {
      isError: true,
      content: [{ type: 'text', text: errorText(error, ctx) }],
      structuredContent: errorData(error, ctx),
    };
  } finally {
    ctx.state.tool = { name: tool, outcome };
    meter.toolCalled({ tool, outcome, seconds: (clock.elapsed() - startedMs) / 1_000 });
  }
}

/** Returns data as structured content, and as JSON for clients that show texts only. */
function resultOf({ data, failed }: ToolAnswer): CallToolResult {
  return {
    content: [{ type: 'text', text: JSON.stringify(data) }],
    structuredContent: data,
    ...(failed === undefined ? {} : { isError: failed }),
  };
}
