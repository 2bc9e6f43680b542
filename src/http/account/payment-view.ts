import type { Payment } from '../../account/answers.ts';
import type { AccountPayment } from '../../account/ports.ts';
import { assetOf, networkOf, usd } from '../../payments/protocol/assets.ts';

/** Returns a payment as the account page shows it. */
export function toPaymentEntry(payment: AccountPayment): Payment {
  const { asset: _asset, pay_to: _payTo, ...entry } = payment;
  const { amount, transaction } = entry;
  const asset = assetOf(payment);
  return {
    ...entry,
    amount_usd: usd(BigInt(amount), asset),
    asset_symbol: asset.symbol,
    network_title: networkOf(asset).title,
    transaction_url: transaction === null ? null : `${networkOf(asset).explorerUrl}/tx/${transaction}`,
  };
}
