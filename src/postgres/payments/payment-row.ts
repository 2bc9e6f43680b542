import type pg from 'pg';
import { z } from 'zod';
import { rowStatuses } from '../../payments/ledger/states.ts';
import { DatabaseLostError, type PaymentRow } from '../../payments/ports.ts';
import { networkNames } from '../../payments/protocol/networks.ts';
import { decodePayment, lowerHex } from '../../payments/protocol/payload.ts';

/** Limits of claims and of stored results. */
export interface PaymentRowSettings {
  /** Timeout of a statement, which also detects dead connections. */
  readonly queryTimeoutMs: number;
  /** Maximum number of concurrent payments of a payer. */
  readonly openMax: number;
  /** Time for which a delivered answer can be fetched again with the same payment. */
  readonly replayMs: number;
  /** Time for which a paid answer that was not delivered can be fetched. */
  readonly claimableMs: number;
  /**
   * Time after a delivery in which the same payer gets the paid answer again for the same search, because the answer
   * may have been lost in a proxy.
   */
  readonly repeatMs: number;
}

const ms = (column: string): string => `floor(extract(epoch from ${column}) * 1000)::float8`;

/**
 * The columns of a row `p` as `toPaymentRow` reads them. `$1` and `$2` are `replayMs` and `claimableMs`.
 */
export const paymentColumns = `p.id, p.network, p.asset, p.pay_to as "payTo", p.payer, p.nonce, p.amount::text,
  p.valid_before::text as "validBefore", p.status, p.lease_owner as "leaseOwner",
  p.request_hash as "requestHash", p.signature_hash as "signatureHash", p.payment_id as "paymentId", p.header, p.body,
  p.from_block as "fromBlock", p.tx_hash as transaction, p.final, ${ms('p.created_at')} as "createdAtMs",
  ${ms('p.delivered_at')} as "deliveredAtMs", coalesce(p.lease_until > now(), false) as leased,
  coalesce(p.status = 'settled' and case
    when p.delivered_at is null then p.settled_at > now() - $2::float8 * interval '1 ms'
    else p.body is not null and p.delivered_at > now() - $1::float8 * interval '1 ms' end, false) as claimable`;

export const hex = z.string().regex(/^0x/).transform(lowerHex);
export const units = z.string().transform(BigInt);

const paymentRow = z
  .object({
    id: z.int(),
    network: z.enum(networkNames),
    asset: hex,
    payTo: hex,
    payer: hex,
    nonce: hex,
    amount: units,
    validBefore: units,
    status: z.enum(rowStatuses),
    leaseOwner: z.string().nullable(),
    requestHash: z.string(),
    signatureHash: z.string(),
    paymentId: z.string().nullable(),
    header: z.string().nullable(),
    body: z.string().nullable(),
    fromBlock: z.int(),
    transaction: hex.nullable(),
    final: z.boolean(),
    createdAtMs: z.number(),
    deliveredAtMs: z.number().nullable(),
    leased: z.boolean(),
    claimable: z.boolean(),
  })
  .transform(({ header, ...row }): PaymentRow => {
    const decoded = header === null ? null : decodePayment(header);
    return { ...row, payment: decoded?.ok ? decoded.payment : null };
  });

export function toPaymentRow(stored: unknown): PaymentRow {
  return paymentRow.parse(stored);
}

/** SQLSTATE classes of wrong values, broken constraints and wrong statements. */
const bugClasses = /^(22|23|42)/;

function isBug(error: unknown): boolean {
  return error instanceof Error && 'code' in error && bugClasses.test(String(error.code));
}

/**
 * Runs statements by name, each with a time limit. A failure of the database is a `DatabaseLostError`.
 * @param scope prefix of their names: each is prepared once per connection
 */
export function queryWith<Name extends string>(
  pool: pg.Pool,
  timeoutMs: number,
  scope: string,
  statements: Readonly<Record<Name, string>>,
) {
  return async (name: Name, values: readonly unknown[] = []): Promise<pg.QueryResult> => {
    try {
      const statement = { name: `x402 ${scope} ${name}`, text: statements[name], values: [...values] };
      return await pool.query({ ...statement, query_timeout: timeoutMs });
    } catch (error) {
      throw isBug(error) ? error : new DatabaseLostError(error);
    }
  };
}
