import type pg from 'pg';
import { z } from 'zod';
import { networkNames } from '../payment/networks.ts';
import {
  type Claim,
  type ClaimResult,
  DatabaseLostError,
  type PaymentRow,
  type PaymentRows,
  type PaymentUpkeep,
} from '../payment/ports.ts';
import { type Event, nextState } from '../payment/states.ts';
import type { Terms } from '../payment/terms.ts';
import { decodePayment, lowerHex } from '../payment/wire.ts';
import { paymentSql } from './payments-sql.ts';

/** How rows are claimed, how long their results may be fetched. */
export interface PaymentRowSettings {
  readonly terms: Terms;
  /** No answer of the database within this time is as good as none: also where a connection is dead and nobody knows. */
  readonly queryTimeoutMs: number;
  /** Payments of one payer under way at the same time. */
  readonly openMax: number;
  /** A delivered result can be fetched again with the same payment for this long. */
  readonly replayMs: number;
  /** A paid result that was never delivered can be fetched for this long. */
  readonly claimableMs: number;
}

const hex = z.string().regex(/^0x/).transform(lowerHex);

const storedRow = z.object({
  id: z.int(),
  network: z.enum(networkNames),
  asset: hex,
  pay_to: hex,
  payer: hex,
  nonce: hex,
  amount: z.string().transform(BigInt),
  valid_before: z.string().transform(BigInt),
  status: z.enum(['processing', 'settling', 'unknown', 'settled']),
  lease_owner: z.string().nullable(),
  request_hash: z.string(),
  signature_hash: z.string(),
  payment_id: z.string().nullable(),
  header: z.string().nullable(),
  body: z.string().nullable(),
  from_block: z.int().nullable(),
  tx_hash: hex.nullable(),
  confirmed: z.boolean(),
  created_at: z.date(),
  delivered_at: z.date().nullable(),
  leased: z.boolean(),
  replayable: z.boolean(),
});

/** The rows in Postgres. Every limit of time is the pool's. */
export function createPaymentRows(pool: pg.Pool, settings: PaymentRowSettings): PaymentRows {
  const query = queryWith(pool, settings.queryTimeoutMs);
  const { network } = settings.terms;
  return {
    async claim(claim) {
      const { rows } = await query(paymentSql.claim, [
        settings.replayMs,
        JSON.stringify(claimJson(claim, settings.terms)),
        claim.owner,
        claim.leaseMs,
        settings.openMax,
        settings.claimableMs,
      ]);
      return toClaimResult(rows[0]);
    },
    async find({ from, nonce }) {
      const { rows } = await query(paymentSql.find, [
        settings.replayMs,
        network.name,
        network.asset.toLowerCase(),
        from,
        nonce,
      ]);
      return rows[0] === undefined ? null : toPaymentRow(rows[0]);
    },
    async read(id) {
      const { rows } = await query(paymentSql.read, [settings.replayMs, id]);
      return rows[0] === undefined ? null : toPaymentRow(rows[0]);
    },
    async advance(row, event, change = {}) {
      const next = nextState(row.status, event);
      const held = [row.id, row.status, row.leaseOwner];
      const { rowCount } = await (next === 'absent'
        ? query(paymentSql.delete, held)
        : query(paymentSql.change, [...held, next, ...changeValues(event, change)]));
      return rowCount === 1;
    },
    async take(row, owner, leaseMs) {
      const next = nextState(row.status, 'lapsed');
      if (next === 'absent') {
        await query(paymentSql.delete, [row.id, row.status, row.leaseOwner]);
        return null;
      }
      const { rows } = await query(paymentSql.take, [
        settings.replayMs,
        row.id,
        row.status,
        row.leaseOwner,
        next,
        owner,
        leaseMs,
      ]);
      return rows[0] === undefined ? null : toPaymentRow(rows[0]);
    },
    async renew(row, leaseMs) {
      const { rowCount } = await query(paymentSql.renew, [row.id, row.leaseOwner, leaseMs]);
      return rowCount === 1;
    },
    async release(row) {
      await query(paymentSql.release, [row.id, row.status, row.leaseOwner]);
    },
  };
}

/** What the observer does with the rows. */
export function createPaymentUpkeep(pool: pg.Pool, settings: PaymentRowSettings): PaymentUpkeep {
  const query = queryWith(pool, settings.queryTimeoutMs);
  const list = async (statement: Statement, max: number): Promise<readonly PaymentRow[]> => {
    const { rows } = await query(statement, [settings.replayMs, max]);
    return rows.map(toPaymentRow);
  };
  return {
    leftBehind: (max) => list(paymentSql.leftBehind, max),
    unconfirmed: (max) => list(paymentSql.unconfirmed, max),
    async clear(keepMs) {
      await query(paymentSql.clearClaims, []);
      await query(paymentSql.clearBodies, [settings.replayMs, settings.claimableMs]);
      await query(paymentSql.clearRows, [keepMs]);
    },
  };
}

interface Statement {
  readonly name: string;
  readonly text: string;
}

function queryWith(pool: pg.Pool, timeoutMs: number) {
  return async (statement: Statement, values: unknown[]): Promise<pg.QueryResult> => {
    try {
      // Its types lack the option, which the client reads from every query.
      const query: pg.QueryConfig & { query_timeout: number } = { ...statement, values, query_timeout: timeoutMs };
      return await pool.query(query);
    } catch (error) {
      throw new DatabaseLostError(error);
    }
  };
}

function changeValues(event: Event, change: Parameters<PaymentRows['advance']>[2] = {}): unknown[] {
  return [
    change.leaseMs === undefined || change.leaseMs <= 0 ? null : change.leaseMs,
    change.body ?? null,
    change.fromBlock ?? null,
    change.transaction ?? null,
    change.confirmed ?? false,
    event === 'delivered',
  ];
}

function claimJson(claim: Claim, terms: Terms): Readonly<Record<string, unknown>> {
  const { authorization } = claim.sent;
  return {
    network: terms.network.name,
    asset: terms.network.asset.toLowerCase(),
    payTo: terms.payTo.toLowerCase(),
    payer: authorization.from,
    nonce: authorization.nonce,
    amount: authorization.value.toString(),
    validBefore: authorization.validBefore.toString(),
    request: claim.request,
    requestHash: claim.requestHash,
    signatureHash: claim.signatureHash,
    paymentId: claim.sent.paymentId,
    header: claim.sent.header,
  };
}

const verdict = z.object({ verdict: z.enum(['claimed', 'known', 'earlier', 'identified', 'capped']) });

function toClaimResult(stored: unknown): ClaimResult {
  const { verdict: kind } = verdict.parse(stored);
  return kind === 'capped' ? { kind } : { kind, row: toPaymentRow(stored) };
}

function toPaymentRow(stored: unknown): PaymentRow {
  const row = storedRow.parse(stored);
  const decoded = row.header === null ? null : decodePayment(row.header);
  return {
    id: row.id,
    network: row.network,
    asset: row.asset,
    payTo: row.pay_to,
    payer: row.payer,
    nonce: row.nonce,
    amount: row.amount,
    status: row.status,
    requestHash: row.request_hash,
    signatureHash: row.signature_hash,
    paymentId: row.payment_id,
    payment: decoded?.ok ? decoded.payment : null,
    body: row.body,
    transaction: row.tx_hash,
    confirmed: row.confirmed,
    fromBlock: row.from_block,
    validBefore: row.valid_before,
    createdAtMs: row.created_at.getTime(),
    deliveredAtMs: row.delivered_at?.getTime() ?? null,
    leased: row.leased,
    leaseOwner: row.lease_owner,
    replayable: row.replayable,
  };
}
