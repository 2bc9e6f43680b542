import type { Payment } from './answers.ts';

/** A paid search as its payer sees it. Times are ISO 8601 in UTC; `amount` is in base units. */
export interface AccountPayment extends Omit<Payment, 'amount_usd' | 'asset_symbol' | 'transaction_url'> {
  readonly asset: string;
  readonly pay_to: string;
  /** True once the block of the transfer is final. */
  readonly final: boolean;
}

/** The payments of an account's wallets, the newest first. */
export interface AccountPayments {
  /** @param before the id of a payment; only older ones are returned. Null: start with the newest */
  list(accountId: number, page: { limit: number; before: number | null }): Promise<readonly AccountPayment[]>;
  find(accountId: number, paymentId: number): Promise<AccountPayment | null>;
}
