import type { Pool } from 'pg';
import { z } from 'zod';
import type { AccountPayment, AccountPayments } from '../../account/payments.ts';
import { findAccountPayment, type LedgerDetail, listAccountPayments } from '../payments/ledger-admin.ts';
import { withStatementTimeout } from '../statements.ts';
import { stored } from './transaction.ts';

const bought = z.object({ q: z.string(), type: z.string(), limit: z.int(), page: z.int() }).nullable();

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

function toAccountPayment(row: LedgerDetail): AccountPayment {
  return {
    id: row.id,
    status: row.status,
    network: row.network,
    asset: row.asset,
    payer: row.payer,
    pay_to: row.pay_to,
    amount: row.amount,
    transaction: row.transaction,
    confirmed: row.confirmed,
    final: row.final,
    created_at: row.created_at,
    settled_at: row.settled_at,
    delivered_at: row.delivered_at,
    request: bought.parse(row.request),
  };
}
