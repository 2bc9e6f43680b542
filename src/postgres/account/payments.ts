import { storedPayment } from '../../account/answers.ts';
import type { AccountPayments } from '../../account/ports.ts';
import { ledgerColumns } from '../payments/ledger-admin.ts';
import type { AccountDatabase } from './transaction.ts';

const paymentsOfAccount = `select ${ledgerColumns} from x402_payments
  where payer = any(array(select address from account_wallets where account_id = $1))`;

/** Creates the payments of accounts, in Postgres. */
export function createAccountPayments({ run }: AccountDatabase): AccountPayments {
  const read = (filter: string, values: unknown[]) =>
    run(async (database) => {
      const { rows } = await database.query(`${paymentsOfAccount} ${filter}`, values);
      return rows.map((row) => storedPayment.parse(row));
    });
  return {
    list: (accountId, { limit, before }) =>
      read('and ($2::bigint is null or id < $2) order by id desc limit $3', [accountId, before, limit]),
    find: async (accountId, paymentId) => (await read('and id = $2', [accountId, paymentId]))[0] ?? null,
  };
}
