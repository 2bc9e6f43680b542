import type { Pool } from 'pg';
import { boughtSearch } from '../../account/answers.ts';
import type { AccountPayment, AccountPayments } from '../../account/data.ts';
import { findAccountPayment, type LedgerDetail, listAccountPayments } from '../payments/ledger-admin.ts';
import { withStatementTimeout } from '../statements.ts';
import { stored } from './transaction.ts';

/** Creates the payments of accounts, in Postgres. */
export function createAccountPayments(pool: Pool, timeoutMs: number): AccountPayments {
  const database = withStatementTimeout(pool, timeoutMs);
  return {
    list: (accountId, page) =>
      stored(async () => (await listAccountPayments(database, accountId, page)).map(toAccountPayment)),
    find: (accountId, paymentId) =>
      stored(async () => {
        const row = await findAccountPayment(database, accountId, paymentId);
        return row && toAccountPayment(row);
      }),
  };
}

function toAccountPayment({ request, ...row }: LedgerDetail): AccountPayment {
  return { ...row, request: boughtSearch.parse(request) };
}
