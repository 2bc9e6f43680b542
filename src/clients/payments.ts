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

/** The columns of a row `p`; `$1` is the replay window in milliseconds. */
const columns = `p.id, p.network, p.asset, p.pay_to, p.payer, p.nonce, p.amount::text, p.valid_before::text, p.status,
  p.lease_owner, p.request_hash, p.signature_hash, p.payment_id, p.header, p.body, p.from_block, p.tx_hash, p.confirmed,
  p.created_at, p.delivered_at, coalesce(p.lease_until > now(), false) as leased,
  coalesce(p.delivered_at > now() - $1 * interval '1 ms', false) as replayable`;

const sql = {
  claim: {
    name: 'x402 claim',
    text: `select c.verdict, ${columns.replaceAll(/\bp\./g, '(c.payment).')}
      from x402_claim($2::jsonb, $3::uuid, $4 * interval '1 ms', $5::int, $6 * interval '1 ms') as c`,
  },
  find: {
    name: 'x402 find',
    text: `select ${columns} from x402_payments p where p.network = $2 and p.asset = $3 and p.payer = $4 and p.nonce = $5`,
  },
  read: { name: 'x402 read', text: `select ${columns} from x402_payments p where p.id = $2` },
  // Status and owner are compared in the same statement that changes the row: whoever lost the row changes nothing.
  change: {
    name: 'x402 change',
    text: `update x402_payments set
        status = $4,
        lease_owner = case when $5::float8 is null then null else lease_owner end,
        lease_until = now() + $5::float8 * interval '1 ms',
        body = coalesce($6, body),
        from_block = coalesce($7, from_block),
        tx_hash = coalesce($8, tx_hash),
        confirmed = confirmed or $9,
        header = case when $4 = 'settled' then null else header end,
        settled_at = case when $4 = 'settled' then coalesce(settled_at, now()) end,
        delivered_at = case when $10 then coalesce(delivered_at, now()) else delivered_at end,
        updated_at = now()
      where id = $1 and status = $2 and lease_owner is not distinct from $3::uuid`,
  },
  delete: {
    name: 'x402 delete',
    text: `delete from x402_payments where id = $1 and status = $2 and lease_owner is not distinct from $3::uuid`,
  },
  take: {
    name: 'x402 take',
    text: `update x402_payments as p set status = $5, lease_owner = $6, lease_until = now() + $7 * interval '1 ms', updated_at = now()
      where p.id = $2 and p.status = $3 and p.lease_owner is not distinct from $4::uuid
        and (p.lease_until is null or p.lease_until < now())
      returning ${columns}`,
  },
  renew: {
    name: 'x402 renew',
    text: `update x402_payments set lease_until = now() + $3 * interval '1 ms' where id = $1 and lease_owner = $2`,
  },
  release: {
    name: 'x402 release',
    text: `update x402_payments set lease_owner = null, lease_until = null where id = $1 and status = $2 and lease_owner = $3`,
  },
  leftBehind: {
    name: 'x402 left behind',
    text: `select ${columns} from x402_payments p
      where p.status in ('settling', 'unknown') and (p.lease_until is null or p.lease_until < now())
      order by p.id limit $2`,
  },
  unconfirmed: {
    name: 'x402 unconfirmed',
    text: `select ${columns} from x402_payments p
      where p.status = 'settled' and not p.confirmed and (p.lease_until is null or p.lease_until < now())
      order by p.id limit $2`,
  },
  clearClaims: {
    name: 'x402 clear claims',
    text: `delete from x402_payments where status = 'processing' and lease_until < now()`,
  },
  clearBodies: {
    name: 'x402 clear bodies',
    text: `update x402_payments set body = null, request = null
      where status = 'settled' and body is not null
        and (delivered_at < now() - $1 * interval '1 ms'
             or (delivered_at is null and settled_at < now() - $2 * interval '1 ms'))`,
  },
  clearRows: {
    name: 'x402 clear rows',
    text: `delete from x402_payments where status = 'settled' and settled_at < now() - $1 * interval '1 ms'`,
  },
} as const;

/** The rows in Postgres. Every limit of time is the pool's. */
export function createPaymentRows(pool: pg.Pool, settings: PaymentRowSettings): PaymentRows {
  const query = queryWith(pool, settings.queryTimeoutMs);
  const { network } = settings.terms;
  return {
    async claim(claim) {
      const { rows } = await query(sql.claim, [
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
      const { rows } = await query(sql.find, [
        settings.replayMs,
        network.name,
        network.asset.toLowerCase(),
        from,
        nonce,
      ]);
      return rows[0] === undefined ? null : toPaymentRow(rows[0]);
    },
    async read(id) {
      const { rows } = await query(sql.read, [settings.replayMs, id]);
      return rows[0] === undefined ? null : toPaymentRow(rows[0]);
    },
    async advance(row, event, change = {}) {
      const next = nextState(row.status, event);
      const held = [row.id, row.status, row.leaseOwner];
      const { rowCount } = await (next === 'absent'
        ? query(sql.delete, held)
        : query(sql.change, [...held, next, ...changeValues(event, change)]));
      return rowCount === 1;
    },
    async take(row, owner, leaseMs) {
      const next = nextState(row.status, 'lapsed');
      if (next === 'absent') {
        await query(sql.delete, [row.id, row.status, row.leaseOwner]);
        return null;
      }
      const { rows } = await query(sql.take, [
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
      const { rowCount } = await query(sql.renew, [row.id, row.leaseOwner, leaseMs]);
      return rowCount === 1;
    },
    async release(row) {
      await query(sql.release, [row.id, row.status, row.leaseOwner]);
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
    leftBehind: (max) => list(sql.leftBehind, max),
    unconfirmed: (max) => list(sql.unconfirmed, max),
    async clear(keepMs) {
      await query(sql.clearClaims, []);
      await query(sql.clearBodies, [settings.replayMs, settings.claimableMs]);
      await query(sql.clearRows, [keepMs]);
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
