import { setTimeout as delay } from 'node:timers/promises';
import type { PaymentPayload } from '@x402/core/types';
import { ExactEvmScheme } from '@x402/evm/exact/client';
import { x402Client } from '@x402/fetch';
import { z } from 'zod';
import { localAsset } from '../../../dev/chain/network.ts';
import { connectClient, type McpClient } from '../mcp/clients.ts';
import type { Payer } from './payers.ts';

// An agent that buys over MCP: the published MCP client sends payments that the published x402 client signs.

const offer = z.looseObject({
  x402Version: z.literal(2),
  error: z.string(),
  code: z.string(),
  resource: z.looseObject({ url: z.string() }),
  accepts: z.array(z.looseObject({ amount: z.string() })).min(1),
});

const toolResult = z.object({
  isError: z.boolean().optional(),
  content: z.array(z.looseObject({ type: z.string(), text: z.string() })),
  structuredContent: z.record(z.string(), z.unknown()).optional(),
  _meta: z.record(z.string(), z.unknown()).optional(),
});
export type AgentResult = z.output<typeof toolResult>;

const receipt = z.object({ success: z.boolean(), transaction: z.string(), network: z.string(), payer: z.string() });

export function receiptOf({ _meta }: AgentResult): z.output<typeof receipt> | null {
  const sent = _meta?.['x402/payment-response'];
  return sent === undefined ? null : receipt.parse(sent);
}

/** Returns the offer of a result, as published clients read it; null if there is none. */
export function offerOf({ isError, structuredContent }: AgentResult): z.output<typeof offer> | null {
  return isError ? (offer.safeParse(structuredContent).data ?? null) : null;
}

export type Arguments = Readonly<Record<string, unknown>>;

export interface McpAgent extends AsyncDisposable {
  call(args: Arguments, payment?: unknown, tool?: string): Promise<AgentResult>;
}

/** @param how sends the connection's requests; a test can cut them */
export async function connectAgent(url: string, how: typeof fetch = fetch): Promise<McpAgent> {
  return agentOf(await connectClient('client 2.x as of 2025', url, { fetch: how }));
}

/** An agent with the SDK of version 1, which checks every result against the output schema. */
export async function connectFormerAgent(url: string): Promise<McpAgent> {
  const client = await connectClient('sdk 1.x', url);
  // From now on, the client knows the schema.
  await client.tools();
  return agentOf(client);
}

function agentOf(client: McpClient): McpAgent {
  return {
    async call(args, payment, name = 'search_entities') {
      const meta = payment === undefined ? undefined : { 'x402/payment': payment };
      return toolResult.parse(await client.call(name, args, meta));
    },
    [Symbol.asyncDispose]: () => client[Symbol.asyncDispose](),
  };
}

export function signOffer(payer: Payer, result: AgentResult): Promise<PaymentPayload> {
  const wallet = new x402Client().register(localAsset.network, new ExactEvmScheme(payer.account));
  const found = offerOf(result);
  if (found === null) throw new Error(`There is no offer in ${JSON.stringify(result)}.`);
  // The client accepts more than the schema.
  return wallet.createPaymentPayload(found as unknown as Parameters<typeof wallet.createPaymentPayload>[0]);
}

/** The outcome of one call of a patient agent. */
export interface Bought {
  readonly result: AgentResult;
  readonly tries: number;
  readonly signed: number;
}

/** The behaviour of an agent after anything other than an answer. */
export interface Habits {
  /** Signs again for every try, as clients without memory do. */
  readonly fresh: boolean;
  /** Sends each paid call twice at once. */
  readonly twice: boolean;
}

const pauseMs = 60;

/**
 * Buys one search, with any number of attempts. Signs a payment at first and for each offer; otherwise sends the same
 * payment again, unless the agent always signs.
 * @param connect returns the connection for each attempt, so that an agent may change processes
 */
export async function buyByMcp(
  payer: Payer,
  args: Arguments,
  connect: () => Promise<McpAgent>,
  habits: Habits,
  limit: AbortSignal,
): Promise<Bought> {
  let payment: PaymentPayload | null = null;
  let signed = 0;
  for (let tries = 1; ; tries += 1) {
    limit.throwIfAborted();
    try {
      await using agent = await connect();
      if (payment === null || habits.fresh) {
        payment = await signOffer(payer, await agent.call(args));
        signed += 1;
      }
      const result = await paidCall(agent, args, payment, habits);
      if (!result.isError) return { result, tries, signed };
      if (offerOf(result) !== null) payment = null;
    } catch (error) {
      if (error instanceof AgentPaidTwiceError) throw error;
      // The connection was refused or cut, so the payment's outcome is unknown.
    }
    await delay(pauseMs);
  }
}

async function paidCall(agent: McpAgent, args: Arguments, payment: unknown, { twice }: Habits): Promise<AgentResult> {
  if (!twice) return agent.call(args, payment);
  const [one, other] = await Promise.allSettled([agent.call(args, payment), agent.call(args, payment)]);
  const results = [one, other].flatMap((settled) => (settled.status === 'fulfilled' ? [settled.value] : []));
  const [first] = results.toSorted((a, b) => Number(a.isError ?? false) - Number(b.isError ?? false));
  if (first === undefined) throw new Error('Neither call was answered.');
  const transactions = new Set(results.flatMap((result) => receiptOf(result)?.transaction ?? []));
  if (transactions.size > 1) throw new AgentPaidTwiceError([...transactions]);
  return first;
}

/** One payment in two transactions. It is reported to the test even if the agent ignores errors. */
export class AgentPaidTwiceError extends Error {
  constructor(transactions: readonly string[]) {
    super(`One call was answered by ${transactions.join(' and ')}.`);
    this.name = 'AgentPaidTwiceError';
  }
}
