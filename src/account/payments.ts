import type { Stored } from './ports.ts';

/** A paid search as its payer sees it. Times are ISO 8601 in UTC; `amount` is in base units. */
export interface AccountPayment {
  readonly id: number;
  readonly status: string;
  readonly network: string;
  readonly asset: string;
  readonly payer: string;
  readonly pay_to: string;
  readonly amount: string;
  readonly transaction: string | null;
  readonly confirmed: boolean;
  /** The chain has shown it in a block that is not taken back any more. */
  readonly final: boolean;
  readonly created_at: string;
  readonly settled_at: string | null;
  readonly delivered_at: string | null;
  /** What was bought; null once it is not kept any longer. */
  readonly request: { readonly q: string; readonly type: string; readonly limit: number; readonly page: number } | null;
}

/** The payments of an account's wallets, the newest first: the rows of others are not there. Never rejects. */
export interface AccountPayments {
  /** @param before the id of a payment; only older ones are answered. Null: from the newest on */
  list(accountId: number, page: { limit: number; before: number | null }): Promise<Stored<readonly AccountPayment[]>>;
  find(accountId: number, paymentId: number): Promise<Stored<AccountPayment | null>>;
}
