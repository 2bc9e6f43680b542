import type { Payment } from '../../account/answers.ts';
import type { AccountPayment } from '../../account/ports.ts';
import { assetOf, networkOf, usd } from '../../payments/protocol/assets.ts';

export function toPaymentEntry(payment: AccountPayment): Payment {
  const { asset: _asset, pay_to: _payTo, ...entry } = payment;
  const { amount, transaction } = entry;
  const asset = assetOf(payment);
  return {
    ...entry,
    amount_usd: usd(BigInt(amount), asset),
    asset_symbol: asset.symbol,
    network_title: networkOf(asset).title,
    transaction_url: transaction === null ? null : transactionUrl(payment, transaction),
  };
}

/** Returns a receipt; null if nothing has been paid yet. */
export function toReceipt(payment: AccountPayment) {
  const { status, settled_at, transaction } = payment;
  if (status !== 'settled' || settled_at === null || transaction === null) return null;
  const asset = assetOf(payment);
  const { name, title, chainId, testnet } = networkOf(asset);
  return {
    payment: payment.id,
    description: 'One search, paid by x402',
    paid_at: settled_at,
    delivered_at: payment.delivered_at,
    amount_usd: usd(BigInt(payment.amount), asset),
    amount: payment.amount,
    token: { symbol: asset.symbol, address: asset.address, decimals: asset.decimals },
    network: { name, title, chain_id: chainId, testnet },
    from: payment.payer,
    to: payment.pay_to,
    transaction,
    transaction_url: transactionUrl(payment, transaction),
    // True if the payment is in a block that is final.
    final: payment.final,
    request: payment.request,
  };
}

function transactionUrl(payment: AccountPayment, transaction: string): string {
  return `${networkOf(assetOf(payment)).explorerUrl}/tx/${transaction}`;
}
