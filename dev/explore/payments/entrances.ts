import { z } from 'zod';
import { ApiError } from '../../../src/http/errors/errors.ts';
import { type CallEnd, type PaidCallDeps, sellCall } from '../../../src/http/mcp/paid-call.ts';
import { parseJson } from '../../../src/lib/parse-json.ts';
import type { Outcome, SearchWork } from '../../../src/payments/flow/context.ts';
import { paymentKey, paymentOfCall, receiptKey } from '../../../src/payments/protocol/mcp-transport.ts';
import { type Entrance, paymentRequired, type Terms } from '../../../src/payments/protocol/terms.ts';
import type { Signed } from './scenario.ts';

// The entrances by which payers present a payment. By MCP they learn only the parts of a tool's result that published
// clients read, and the promises are checked against those parts.

export interface Ask {
  readonly payment: Signed;
  readonly search: SearchWork;
  readonly clientSignal: AbortSignal;
  readonly terms: Terms;
  readonly purchase: PaidCallDeps['purchase'];
}

const receiptSchema = z.object({ success: z.boolean(), transaction: z.string() });

export interface Told {
  readonly outcome: Outcome;
  readonly receipt: z.output<typeof receiptSchema> | null;
}

export function askBy(entrance: Entrance, ask: Ask): Promise<Told> {
  return entrance === 'http' ? askByHttp(ask) : askByMcp(ask);
}

/** The same search by both ways in. */
const requestFor = (query: string) => ({ q: query, type: 'all', limit: 10, page: 1 }) as const;

async function askByHttp({ payment, search, clientSignal, purchase }: Ask): Promise<Told> {
  const { header, query } = payment;
  const outcome = await purchase({ header, request: requestFor(query), clientSignal, search, caller: 'payer' });
  const sent = 'receipt' in outcome ? outcome.receipt : undefined;
  return { outcome, receipt: sent === undefined ? null : readReceipt(decoded(sent)) };
}

async function askByMcp({ payment, search, clientSignal, terms, purchase }: Ask): Promise<Told> {
  const header = paymentOfCall({ [paymentKey]: decoded(payment.header) });
  if (header === null) throw new Error('A call has lost its payment.');
  try {
    const end = await sellCall(
      { header, request: requestFor(payment.query), search, clientSignal, caller: 'payer' },
      {
        purchase,
        offer: (code, error) =>
          paymentRequired({ terms, baseUrl: 'https://api.example', entrance: 'mcp' }, code, error),
      },
    );
    return { outcome: readEnd(end), receipt: readReceipt(end.result._meta?.[receiptKey]) };
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return { outcome: readError(error), receipt: null };
  }
}

const offered = z.object({ x402Version: z.literal(2), accepts: z.array(z.unknown()).min(1), code: z.string() });

/** As published clients read a result: an offer if there is one, otherwise an answer unless it is an error. */
function readEnd({ result, done }: CallEnd): Outcome {
  const offer = offered.safeParse(result.structuredContent);
  if (result.isError && offer.success) return { kind: 'refused', code: offer.data.code, message: '' };
  if (result.isError) return { kind: 'gone' };
  return { kind: 'served', body: JSON.stringify(result.structuredContent), receipt: '', replayed: false, done };
}

/** An error's statement about the money. */
function readError({ reply: { code }, message }: ApiError): Outcome {
  switch (code) {
    case 'settlement_unknown':
      return { kind: 'unknown' };
    case 'payment_in_progress':
      return { kind: 'in-progress' };
    case 'too_many_payments':
      return { kind: 'capped', openMax: 0 };
    case 'payment_identifier_used':
      return { kind: 'conflict', message };
    case 'search_unavailable':
      return { kind: 'search-failed', reason: message, cause: null, paid: false };
    default:
      return { kind: 'uncharged', code: 'service_unavailable', message };
  }
}

function readReceipt(sent: unknown): Told['receipt'] {
  return sent === undefined ? null : receiptSchema.parse(sent);
}

function decoded(header: string): unknown {
  return parseJson(Buffer.from(header, 'base64').toString('utf8'));
}
