import { createHash } from 'node:crypto';
import type { CompanyRecord } from '../../kinds/companies.ts';
import type { KindName } from '../../kinds/kind.ts';
import { kinds } from '../../kinds/registry.ts';
import { assetOf, usd } from './assets.ts';
import type { Hex } from './networks.ts';
import { encodeHeader } from './payload.ts';

// A paid search: its parameters, the fields of its items, and the answer.

/** The kinds that can be searched by paying, in the order in which a limit's remainder is given out. */
export const paidKinds = ['companies', 'people', 'investors'] as const satisfies readonly KindName[];
export type PaidKind = (typeof paidKinds)[number];

/** Limits of a paid search's parameters, for its parser and for catalogues. */
export const paidSearchLimits = { queryMax: 256, limitMax: 50, limitPreset: 10, pageMax: 1_000_000 } as const;

/** The maximum `limit` of a tool call without a key: a model reads the whole answer. */
export const paidToolLimitMax = 10;

/** The parameters of a paid search, with defaults filled in. */
export interface PaidRequest {
  readonly q: string;
  readonly type: PaidKind | 'all';
  readonly limit: number;
  readonly page: number;
}

/**
 * Returns the identity of a purchase as 64 hexadecimal digits. It doesn't depend on the order of parameters, or on
 * whether defaults were given.
 */
export function requestHash(request: PaidRequest): string {
  const canonical = JSON.stringify([request.q, request.type, request.limit, request.page]);
  return createHash('sha256').update(canonical).digest('hex');
}

/** Splits the limit evenly between the kinds that were asked for; others get 0. */
export function splitLimit(request: PaidRequest): Readonly<Record<PaidKind, number>> {
  const asked = paidKinds.filter((kind) => request.type === 'all' || request.type === kind);
  const share = Math.floor(request.limit / asked.length);
  const remainder = request.limit % asked.length;
  const of = (kind: PaidKind): number => {
    const place = asked.indexOf(kind);
    return place === -1 ? 0 : share + (place < remainder ? 1 : 0);
  };
  return { companies: of('companies'), people: of('people'), investors: of('investors') };
}

/** Fields of a paid search's items: the spec's thirteen of a company, the whole record of a person or an investor. */
export const paidItemFields: Readonly<Record<PaidKind, readonly string[]>> = {
  companies: [
    'id',
    'name',
    'slug',
    'logo',
    'tagline',
    'overview',
    'website',
    'company_stage',
    'funding_stage',
    'total_funding_usd',
    'founded_date',
    'employee_count',
    'is_verified',
  ] satisfies (keyof CompanyRecord)[],
  people: kinds.people.itemFields,
  investors: kinds.investors.itemFields,
};

/** The found items by kind; empty if a kind was not asked for or has none. */
export type PaidData = Readonly<Record<PaidKind, readonly unknown[]>>;

/** Replaces the transaction in a stored answer, which is written before there is one and replayed byte by byte. */
export const transactionMark = '{transaction}';

const pageNotice = 'This is the same answer as page 1: page is only echoed.';

/** Returns the 200 body's text (spec 4.5) with `transactionMark` in place of the transaction. */
export function answerText(
  data: PaidData,
  request: PaidRequest,
  paid: { readonly network: string; readonly asset: Hex; readonly amount: bigint; readonly payer: Hex },
): string {
  const { companies, people, investors } = data;
  return JSON.stringify({
    data: { companies, people, investors },
    meta: {
      query: request.q,
      type: request.type,
      page: request.page,
      ...(request.page > 1 ? { notice: pageNotice } : {}),
      limit: request.limit,
      total: companies.length + people.length + investors.length,
      payer: paid.payer,
      transaction: transactionMark,
      network: paid.network,
      price_paid: paid.amount.toString(),
      price_paid_usd: usd(paid.amount, assetOf(paid)),
    },
  });
}

/** Returns the text for the payer. No text from users follows the mark, so the last mark is the right one. */
export function withTransaction(text: string, transaction: Hex): string {
  const at = text.lastIndexOf(transactionMark);
  if (at === -1) throw new Error('A stored answer has no place for its transaction.');
  return text.slice(0, at) + transaction + text.slice(at + transactionMark.length);
}

/** Returns the PAYMENT-RESPONSE header of a settled payment. */
export function receiptHeader(settled: {
  readonly transaction: Hex;
  readonly network: string;
  readonly payer: Hex;
}): string {
  const { transaction, network, payer } = settled;
  return encodeHeader({ success: true, transaction, network, payer });
}

/** Returns the PAYMENT-RESPONSE header of a refused settlement, which charged nothing. */
export function refusalHeader(refused: {
  readonly reason: string;
  readonly network: string;
  readonly payer: Hex;
}): string {
  const { reason, network, payer } = refused;
  return encodeHeader({ success: false, errorReason: reason, transaction: '', network, payer });
}
