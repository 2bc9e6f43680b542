import { boughtSearch } from '../../account/answers.ts';
import type { AccountPayment, AccountPayments } from '../../account/data.ts';
import { findAccountPayment, type LedgerDetail, listAccountPayments } from '../payments/ledger-admin.ts';
import type { AccountDatabase } from './transaction.ts';

/** Creates the payments of accounts, in Postgres. */
export function createAccountPayments({ run }: AccountDatabase): AccountPayments {
  return {
    list: (accountId, page) =>
      run(async (database) => (await listAccountPayments(database, accountId, page)).map(toAccountPayment)),
    find: (accountId, paymentId) =>
      run(async (database) => {
        const row = await findAccountPayment(database, accountId, paymentId);
        return row && toAccountPayment(row);
      }),
  };
}

function toAccountPayment({ request, ...row }: LedgerDetail): AccountPayment {
  return { ...row, request: boughtSearch.parse(request) };
}
