import { storedPayment } from '../../account/answers.ts';
import { ledgerColumns } from '../payments/ledger-admin.ts';
import type { AccountDatabase } from './transaction.ts';

const paymentsOfAccount = `select ${ledgerColumns} from x402_payments
  where payer = any(array(select address from account_wallets where account_id = $1))`;

export function createAccountPayments({ run }: AccountDatabase) {
  const read = (filter: string, values: unknown[]) =>
    run(async (database) => {
      const { rows } = await database.query(`${paymentsOfAccount} ${filter}`, values);
      return rows.map((row) => storedPayment.parse(row));
    });
  return {
    /** @param page `before`: the id of a payment; only older ones are returned. Null: start with the newest */
    list: (accountId: number, { limit, before }: { limit: number; before: number | null }) =>
      read('and ($2::bigint is null or id < $2) order by id desc limit $3', [accountId, before, limit]),
    find: async (accountId: number, paymentId: number) =>
      (await read('and id = $2', [accountId, paymentId]))[0] ?? null,
  };
}
