import type pg from 'pg';
import { z } from 'zod';
import { nextState } from '../../payments/ledger/states.ts';
import {
  type AuthorizationKey,
  type Change,
  type Claim,
  type ClaimResult,
  DatabaseLostError,
  type PaymentRow,
  type PaymentRows,
  type PaymentUpkeep,
} from '../../payments/ports.ts';
import { type NetworkName, networkNames } from '../../payments/protocol/networks.ts';
import { decodePayment, lowerHex } from '../../payments/protocol/payload.ts';
import { paidKinds } from '../../payments/protocol/request.ts';
import { paymentSql } from './payments-sql.ts';

/** How rows are claimed, how long their results may be fetched. */
export interface PaymentRowSettings {
  /** No answer of the database within this time is as good as none: also where a connection is dead and nobody knows. */
  readonly queryTimeoutMs: number;
  /** Payments of one payer under way at the same time. */
  readonly openMax: number;
  /** A delivered result can be fetched again with the same payment for this long. */
  readonly replayMs: number;
  /** A paid result that was never delivered can be fetched for this long. */
  readonly claimableMs: number;
  /**
   * The same payer who asks the same again this soon after delivery gets the answer that is paid: what was handed to a
   * proxy may never have arrived.
   */
  readonly repeatMs: number;
}

/** Payments of one payer that were given up and can still land: more are refused. */
const givenUpMax = 64;

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
  status: z.enum(['processing', 'settling', 'unknown', 'released', 'refused', 'settled', 'denied']),
  lease_owner: z.string().nullable(),
  request: z.object({ q: z.string(), type: z.enum([...paidKinds, 'all']), limit: z.int(), page: z.int() }).nullable(),
  request_hash: z.string(),
  signature_hash: z.string(),
  payment_id: z.string().nullable(),
  header: z.string().nullable(),
  body: z.string().nullable(),
  from_block: z.int().nullable(),
  tx_hash: hex.nullable(),
  confirmed: z.boolean(),
  final: z.boolean(),
  created_at: z.date(),
  delivered_at: z.date().nullable(),
  leased: z.boolean(),
  claimable: z.boolean(),
});

/** The rows in Postgres. Every limit of time is the pool's. */
export function createPaymentRows(pool: pg.Pool, settings: PaymentRowSettings): PaymentRows {
  const query = queryWith(pool, settings.queryTimeoutMs);
  const { openMax, replayMs, claimableMs, repeatMs } = settings;
  const windows = [replayMs, claimableMs];
  const claimSettings = JSON.stringify({ openMax, givenUpMax, claimableMs, repeatMs });
  const one = async (statement: Statement, values: unknown[]): Promise<PaymentRow | null> => {
    const { rows } = await query(statement, [...windows, ...values]);
    return rows[0] === undefined ? null : toPaymentRow(rows[0]);
  };
  return {
    async claim(claim) {
      const { rows } = await query(paymentSql.claim, [...windows, JSON.stringify(claimJson(claim)), claimSettings]);
      return toClaimResult(rows[0]);
    },
    async history(key) {
      const [row, payer] = await Promise.all([one(paymentSql.find, keyValues(key)), payerOf(query, key)]);
      return { row, ...payer };
    },
    find: (key) => one(paymentSql.find, keyValues(key)),
    async advance(row, event, change = {}) {
      const next = nextState(row.status, event);
      const held = [row.id, row.status, row.leaseOwner];
      try {
        const { rowCount } = await (next === 'absent'
          ? query(paymentSql.delete, held)
          : query(paymentSql.change, [...held, next, ...changeValues(change)]));
        return rowCount === 1;
      } catch (error) {
        if (isDuplicate(error)) return false;
        throw error;
      }
    },
    take: (row, owner, leaseMs) =>
      one(paymentSql.take, [row.id, row.status, row.leaseOwner, nextState(row.status, 'lapsed'), owner, leaseMs]),
    async renew(row, leaseMs) {
      const { rowCount } = await query(paymentSql.renew, [row.id, row.leaseOwner, leaseMs]);
      return rowCount === 1;
    },
    async release(row) {
      await query(paymentSql.release, [row.id, row.status, row.leaseOwner]);
    },
    async delivered(id) {
      await query(paymentSql.delivered, [id]);
    },
  };
}

/** Finds the rows of some authorizations. */
export function createPaymentFinder(pool: pg.Pool, settings: PaymentRowSettings) {
  const query = queryWith(pool, settings.queryTimeoutMs);
  return async (authorizations: readonly AuthorizationKey[]): Promise<readonly PaymentRow[]> => {
    const { replayMs, claimableMs } = settings;
    const { rows } = await query(paymentSql.findAll, [replayMs, claimableMs, JSON.stringify(authorizations)]);
    return rows.map(toPaymentRow);
  };
}

/**
 * What the observer does with the rows.
 * @param network the one of which there is a node; rows of others are left to whoever has theirs. Without it: all
 */
export function createPaymentUpkeep(
  pool: pg.Pool,
  settings: PaymentRowSettings,
  network: NetworkName | null = null,
): PaymentUpkeep {
  const query = queryWith(pool, settings.queryTimeoutMs);
  const { replayMs, claimableMs, repeatMs } = settings;
  return {
    async due(max) {
      const { rows } = await query(paymentSql.due, [replayMs, claimableMs, max, network]);
      return rows.map(toPaymentRow);
    },
    async looked(id) {
      await query(paymentSql.looked, [id]);
    },
    async clear(keepMs) {
      await query(paymentSql.clearClaims, []);
      await query(paymentSql.clearBodies, [Math.max(replayMs, repeatMs), claimableMs]);
      await query(paymentSql.clearRows, [keepMs]);
    },
  };
}

type Query = ReturnType<typeof queryWith>;

const payerHistory = z.object({ seen: z.boolean(), paid: z.boolean() });

async function payerOf(query: Query, { network, asset, payer }: AuthorizationKey) {
  const { rows } = await query(paymentSql.payer, [network, asset, payer]);
  return payerHistory.parse(rows[0]);
}

function keyValues({ network, asset, payer, nonce }: AuthorizationKey): unknown[] {
  return [network, asset, payer, nonce];
}

const duplicateCode = '23505';

/** Another purchase of the same search is open. */
function isDuplicate(error: unknown): boolean {
  const cause = error instanceof DatabaseLostError ? error.cause : null;
  return typeof cause === 'object' && cause !== null && 'code' in cause && cause.code === duplicateCode;
}

export interface Statement {
  readonly name: string;
  readonly text: string;
}

/** Runs named statements, each within a time; whatever fails is a `DatabaseLostError`. */
export function queryWith(pool: pg.Pool, timeoutMs: number) {
  return async (statement: Statement, values: unknown[]): Promise<pg.QueryResult> => {
    try {
      return await pool.query({ ...statement, values, query_timeout: timeoutMs });
    } catch (error) {
      throw new DatabaseLostError(error);
    }
  };
}

function changeValues(change: Change): unknown[] {
  const { leaseMs, body, transaction, confirmed, final, block } = change;
  return [
    leaseMs === undefined || leaseMs <= 0 ? null : leaseMs,
    body ?? null,
    transaction ?? null,
    confirmed ?? null,
    final ?? null,
    block ?? null,
  ];
}

function claimJson(claim: Claim): Readonly<Record<string, unknown>> {
  const { authorization, paymentId, header } = claim.payment;
  const { asset, payTo } = claim.terms;
  return {
    request: claim.request,
    requestHash: claim.requestHash,
    paymentId,
    header,
    network: asset.network,
    asset: asset.address.toLowerCase(),
    payTo: payTo.toLowerCase(),
    payer: authorization.from,
    nonce: authorization.nonce,
    amount: authorization.value.toString(),
    validBefore: authorization.validBefore.toString(),
    signatureHash: claim.signatureHash,
    owner: claim.owner,
    leaseMs: claim.leaseMs,
    mayOpen: claim.mayOpen,
    fromBlock: claim.fromBlock,
    looked: claim.checkedRefusals,
  };
}

const verdict = z.object({ verdict: z.enum(['claimed', 'known', 'earlier', 'identified', 'capped', 'barred']) });

function toClaimResult(stored: unknown): ClaimResult {
  const { verdict: kind } = verdict.parse(stored);
  return kind === 'capped' || kind === 'barred' ? { kind } : { kind, row: toPaymentRow(stored) };
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
    request: row.request,
    requestHash: row.request_hash,
    signatureHash: row.signature_hash,
    paymentId: row.payment_id,
    payment: decoded?.ok ? decoded.payment : null,
    body: row.body,
    transaction: row.tx_hash,
    confirmed: row.confirmed,
    final: row.final,
    fromBlock: row.from_block,
    validBefore: row.valid_before,
    createdAtMs: row.created_at.getTime(),
    deliveredAtMs: row.delivered_at?.getTime() ?? null,
    leased: row.leased,
    leaseOwner: row.lease_owner,
    claimable: row.claimable,
  };
}
