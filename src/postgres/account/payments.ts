import { storedPayment } from '../../account/answers.ts';
import type { AccountPayments } from '../../account/ports.ts';
import { findAccountPayment, listAccountPayments } from '../payments/ledger-admin.ts';
import type { AccountDatabase } from './transaction.ts';

/** Creates the payments of accounts, in Postgres. */
export function createAccountPayments({ run }: AccountDatabase): AccountPayments {
  return {
    list: (accountId, page) =>
      run(async (database) =>
        (await listAccountPayments(database, accountId, page)).map((row) => storedPayment.parse(row)),
      ),
    find: (accountId, paymentId) =>
      run(async (database) => {
        const row = await findAccountPayment(database, accountId, paymentId);
        return row && storedPayment.parse(row);
      }),
  };
}
