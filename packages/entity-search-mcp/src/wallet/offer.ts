import { z } from 'zod';
import { type NetworkName, networks } from './networks.ts';

// What x402's MCP transport answers where a call is not paid for, and which of the offers in it the wallet may accept.

const acceptsMax = 32;

/** One way to pay. What else stands in it is sent back as it came. */
const accepted = z.looseObject({
  scheme: z.string(),
  network: z.string(),
  amount: z.string().regex(/^\d{1,30}$/),
  asset: z.string(),
  payTo: z.string(),
  maxTimeoutSeconds: z.number().positive().max(86_400).optional(),
  extra: z.looseObject({ name: z.string().optional(), version: z.string().optional() }).optional(),
});
export type Accepted = z.infer<typeof accepted>;

const paymentRequired = z.looseObject({
  x402Version: z.literal(2),
  error: z.string().optional(),
  resource: z.unknown().optional(),
  accepts: z.array(z.unknown()).min(1).max(acceptsMax),
  extensions: z.record(z.string(), z.unknown()).optional(),
});
export type PaymentRequired = z.infer<typeof paymentRequired>;

const wrapped = z.looseObject({ 'x402/error': z.looseObject({ data: paymentRequired }) });
const result = z.looseObject({
  isError: z.literal(true),
  structuredContent: z.unknown().optional(),
  content: z.array(z.looseObject({ text: z.string().optional() })).optional(),
});

/** The offer in a tool's result; null where it is none. It may stand in either of two forms, in data or in text. */
export function paymentRequiredIn(answer: unknown): PaymentRequired | null {
  const failed = result.safeParse(answer);
  if (!failed.success) return null;
  const candidates = [failed.data.structuredContent, jsonOf(failed.data.content?.[0]?.text)];
  for (const candidate of candidates) {
    const direct = paymentRequired.safeParse(candidate);
    if (direct.success) return direct.data;
    const inside = wrapped.safeParse(candidate);
    if (inside.success) return inside.data['x402/error'].data;
  }
  return null;
}

function jsonOf(text: string | undefined): unknown {
  if (text === undefined || !text.startsWith('{')) return undefined;
  try {
    return z.unknown().parse(JSON.parse(text));
  } catch {
    return undefined;
  }
}

/** An offer that may be signed. */
export interface Choice {
  readonly offer: Accepted;
  readonly amount: bigint;
}

/** The offer in the network's USDC; a sentence where there is none. Of several, the cheapest. */
export function chooseOffer({ accepts }: PaymentRequired, network: NetworkName): Choice | string {
  const choices: Choice[] = [];
  const refusals: string[] = [];
  for (const each of accepts) {
    const parsed = accepted.safeParse(each);
    const refusal = parsed.success ? refusalOf(parsed.data, network) : 'An offer is not of x402 version 2.';
    if (refusal !== null) refusals.push(refusal);
    else if (parsed.success) choices.push({ offer: parsed.data, amount: BigInt(parsed.data.amount) });
  }
  const [cheapest] = choices.sort((a, b) => (a.amount < b.amount ? -1 : 1));
  return cheapest ?? `Nothing was paid. ${[...new Set(refusals)].slice(0, 3).join(' ')}`;
}

function refusalOf(offer: Accepted, network: NetworkName): string | null {
  const { title, usdc } = networks[network];
  if (offer.scheme !== 'exact') return `The payment scheme ${shown(offer.scheme)} is not supported; exact is.`;
  if (offer.network !== network) {
    return `The service wants money on ${shown(offer.network)}, and the wallet pays on ${network} (${title}) only: set ENTITY_SEARCH_NETWORK if that is where you want to pay.`;
  }
  if (offer.asset.toLowerCase() !== usdc.address.toLowerCase()) {
    return `The service wants the token ${shown(offer.asset)}, and the wallet pays in USDC (${usdc.address}) only.`;
  }
  const { name = usdc.name, version = usdc.version } = offer.extra ?? {};
  if (name !== usdc.name || version !== usdc.version) {
    return `The service describes USDC as ${shown(`${name} ${version}`)}, and it is ${usdc.name} ${usdc.version}.`;
  }
  if (!/^0x[0-9a-fA-F]{40}$/.test(offer.payTo) || /^0x0{40}$/.test(offer.payTo)) return 'The recipient is no address.';
  if (BigInt(offer.amount) === 0n) return 'The price is nothing, which can not be signed for.';
  return null;
}

/** What a service says, in one of our sentences. */
const shown = (text: string): string => JSON.stringify(text.slice(0, 80));
