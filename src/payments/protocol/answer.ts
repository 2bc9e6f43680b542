import { assetOf, usd } from './assets.ts';
import type { Hex } from './networks.ts';
import { encodeHeader } from './payload.ts';
import type { PaidKind, PaidRequest } from './request.ts';

/** What was found, by kind; empty where a kind was not asked for or has nothing. */
export type PaidData = Readonly<Record<PaidKind, readonly unknown[]>>;

/** Stands for the transaction in a stored answer: it is written before there is one, and replayed byte by byte. */
export const transactionMark = '{transaction}';

const pageNotice = 'This is the same answer as page 1: page is only echoed.';

/** The 200 body's text (spec 4.5) with `transactionMark` in place of the transaction. */
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

/** The text that the payer gets. Nothing that a user can write stands after the mark, so the last one is it. */
export function withTransaction(text: string, transaction: Hex): string {
  const at = text.lastIndexOf(transactionMark);
  if (at === -1) throw new Error('A stored answer has no place for its transaction.');
  return text.slice(0, at) + transaction + text.slice(at + transactionMark.length);
}

/** The PAYMENT-RESPONSE header of a settled payment. */
export function receiptHeader(settled: {
  readonly transaction: Hex;
  readonly network: string;
  readonly payer: Hex;
}): string {
  const { transaction, network, payer } = settled;
  return encodeHeader({ success: true, transaction, network, payer });
}

/** The PAYMENT-RESPONSE header of a settlement that was refused: nothing was taken. */
export function refusalHeader(refused: {
  readonly reason: string;
  readonly network: string;
  readonly payer: Hex;
}): string {
  const { reason, network, payer } = refused;
  return encodeHeader({ success: false, errorReason: reason, transaction: '', network, payer });
}
