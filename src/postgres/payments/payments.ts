import type pg from 'pg';
import { z } from 'zod';
import { nextState } from '../../payments/ledger/states.ts';
import type { AuthorizationKey, Change, Claim, ClaimResult, PaymentRow, PaymentRows } from '../../payments/ports.ts';
import { type PaymentRowSettings, paymentColumns, queryWith, toPaymentRow } from './payment-row.ts';

// The statements for payments. Each claims, compares or changes rows by itself.

const claimedColumns = paymentColumns.replaceAll(/\bp\./g, '(c.payment).');

const statements = {
  // Decides in one statement; its SQL: schema/baseline/10-payments.sql.
  claim: `select c.verdict, ${claimedColumns} from x402_claim($3::jsonb, $4::jsonb) as c`,
  find: `select ${paymentColumns} from x402_payments p where p.network = $3 and p.asset = $4 and p.payer = $5 and p.nonce = $6`,
  recipient: `select from x402_recipients where network = $1 and asset = $2 and pay_to = $3`,
  payer: `select count(*) > 0 as seen, coalesce(bool_or(status = 'settled'), false) as paid from (
      (select status from x402_payments where network = $1 and asset = $2 and payer = $3 limit 1)
      union all
      (select status from x402_payments where network = $1 and asset = $2 and payer = $3 and status = 'settled' limit 1)
    ) as rows`,
  // Status and owner are compared in the same statement that changes the row: a process that lost the row changes nothing.
  change: `update x402_payments set
        status = $4,
        lease_owner = case when $5::float8 is null then null else lease_owner end,
        lease_until = now() + $5::float8 * interval '1 ms',
        body = coalesce($6, body),
        tx_hash = coalesce($7, tx_hash),
        final = coalesce($8, final),
        block = coalesce($9, block),
        header = case when $4 = 'settled' then null else header end,
        settled_at = case when $4 = 'settled' then coalesce(settled_at, now()) end,
        updated_at = now()
      where id = $1 and status = $2 and lease_owner is not distinct from $3::uuid`,
  // A settled payment is removed only if a reorganisation reversed its transfer. An operator must be warned.
  delete: `with gone as (
        delete from x402_payments where id = $1 and status = $2 and lease_owner is not distinct from $3::uuid returning *
      ), reversed as (
        insert into x402_audit_findings (network, asset, pay_to, kind, block, tx_hash, payer, amount, payment)
        select network, asset, pay_to, 'reversed', coalesce(block, from_block), tx_hash, payer, amount, id from gone where status = 'settled'
        on conflict do nothing
      )
      select from gone`,
  take: `update x402_payments as p set status = $6, lease_owner = $7, lease_until = now() + $8 * interval '1 ms', updated_at = now()
      where p.id = $3 and p.status = $4 and p.lease_owner is not distinct from $5::uuid
        and (p.lease_until is null or p.lease_until < now())
      returning ${paymentColumns}`,
  renew: `update x402_payments set lease_until = now() + $3 * interval '1 ms' where id = $1 and lease_owner = $2`,
  delivered: `update x402_payments set delivered_at = coalesce(delivered_at, now()), updated_at = now() where id = $1`,
} as const;

/** Maximum number of a payer's payments that are not settled and can still land. */
const unsettledMax = 16;

/** Payment rows in Postgres. Each statement may take `queryTimeoutMs`. */
export function createPaymentRows(pool: pg.Pool, settings: PaymentRowSettings): PaymentRows {
  const query = queryWith(pool, settings.queryTimeoutMs, 'payments', statements);
  const { openMax, replayMs, claimableMs, repeatMs } = settings;
  const claimSettings = JSON.stringify({ openMax, unsettledMax, claimableMs, repeatMs });
  const one = async (name: 'find' | 'take', values: readonly unknown[]): Promise<PaymentRow | null> => {
    const { rows } = await query(name, [replayMs, claimableMs, ...values]);
    return rows[0] === undefined ? null : toPaymentRow(rows[0]);
  };
  const find = ({ network, asset, payer, nonce }: AuthorizationKey) => one('find', [network, asset, payer, nonce]);
  return {
    async claim(claim) {
      const { rows } = await query('claim', [replayMs, claimableMs, claimJson(claim), claimSettings]);
      return toClaimResult(rows[0]);
    },
    async history(key) {
      const [row, { rows }] = await Promise.all([find(key), query('payer', [key.network, key.asset, key.payer])]);
      return { row, ...payerHistory.parse(rows[0]) };
    },
    find,
    async isRecipient({ network, asset }, address) {
      return (await query('recipient', [network, asset, address])).rowCount === 1;
    },
    async advance(row, event, change = {}) {
      const next = nextState(row.status, event);
      const held = [row.id, row.status, row.leaseOwner];
      try {
        const { rowCount } = await (next === 'absent'
          ? query('delete', held)
          : query('change', [...held, next, ...changeValues(change)]));
        return rowCount === 1;
      } catch (error) {
        if (isDuplicate(error)) return false;
        throw error;
      }
    },
    take: (row, owner, leaseMs) =>
      one('take', [row.id, row.status, row.leaseOwner, nextState(row.status, 'dropped'), owner, leaseMs]),
    async renew(row, leaseMs) {
      const { rowCount } = await query('renew', [row.id, row.leaseOwner, leaseMs]);
      return rowCount === 1;
    },
    async delivered(id) {
      await query('delivered', [id]);
    },
  };
}

const payerHistory = z.object({ seen: z.boolean(), paid: z.boolean() });

const duplicateCode = '23505';

/** Another purchase of the same search is open. */
function isDuplicate(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === duplicateCode;
}

function changeValues({ leaseMs = 0, body, transaction, final, block }: Change): unknown[] {
  return [leaseMs > 0 ? leaseMs : null, body, transaction, final, block];
}

function claimJson({ payment, terms, onChain, ...claim }: Claim): string {
  const { authorization, paymentId, header } = payment;
  return JSON.stringify({
    ...claim,
    onChain: onChain === null ? null : { ...onChain, balance: onChain.balance.toString() },
    paymentId,
    header,
    network: terms.asset.network,
    asset: terms.asset.address.toLowerCase(),
    payTo: terms.payTo.toLowerCase(),
    payer: authorization.from,
    nonce: authorization.nonce,
    amount: authorization.value.toString(),
    validBefore: authorization.validBefore.toString(),
  });
}

/** In the order of the lookups in `x402_claim`. */
const verdict = z.object({ verdict: z.enum(['known', 'earlier', 'identified', 'capped', 'barred', 'claimed']) });

function toClaimResult(stored: unknown): ClaimResult {
  const { verdict: kind } = verdict.parse(stored);
  return kind === 'capped' || kind === 'barred' ? { kind } : { kind, row: toPaymentRow(stored) };
}
