import type pg from 'pg';
import { z } from 'zod';
import type { PaymentFigures } from '../../payments/ledger/observe.ts';
import type { PaymentUpkeep } from '../../payments/ports.ts';
import type { NetworkName } from '../../payments/protocol/networks.ts';
import { type PaymentRowSettings, paymentColumns, queryWith, toPaymentRow } from './payment-row.ts';

const statements = {
  due: `select ${paymentColumns} from x402_payments p
      where (p.status = 'settling' or (p.status = 'settled' and not p.final)
          or (p.status = 'released' and p.valid_before < extract(epoch from now())))
        and (p.lease_until is null or p.lease_until < now()) and ($4::text is null or p.network = $4)
      order by p.looked_at nulls first, p.id limit $3`,
  looked: `update x402_payments set looked_at = clock_timestamp() where id = $1`,
  clearClaims: `update x402_payments set status = 'released', lease_owner = null, lease_until = null, updated_at = now()
      where status = 'processing' and lease_until < now()`,
  clearBodies: `update x402_payments set body = null
      where status = 'settled' and body is not null
        and (delivered_at < now() - $1 * interval '1 ms'
             or (delivered_at is null and settled_at < now() - $2 * interval '1 ms'))`,
  clearRows: `delete from x402_payments where status = 'settled' and settled_at < now() - $1 * interval '1 ms'`,
  // Every count reads a small index, because none of them contains payments that are final and delivered.
  figures: `select json_build_object(
      'settling', count(*) filter (where status = 'settling'),
      'overdue', count(*) filter (where status = 'settling' and created_at < now() - interval '1 hour'),
      'released', count(*) filter (where status = 'released'),
      'no_node', count(*) filter (where network <> $1),
      'undelivered', (select count(*) from x402_payments where status = 'settled' and delivered_at is null
                        and settled_at > now() - $2::float8 * interval '1 ms')
    ) as payments,
    (select json_build_object(
        'transfer_without_row', count(*) filter (where kind = 'transfer_without_row'),
        'row_without_transfer', count(*) filter (where kind = 'row_without_transfer'),
        'unreadable', count(*) filter (where kind = 'unreadable'),
        'reversed', count(*) filter (where kind = 'reversed'))
      from x402_audit_findings where resolved_at is null and acknowledged_at is null) as findings,
    (select extract(epoch from now() - min(coalesce(finished_at, created_at)))::float8
      from x402_recipients where network = $1) as audit_age
  from x402_payments
  where status in ('settling', 'released') or (status = 'settled' and not final)`,
} as const;

/**
 * The observer's statements on the rows.
 * @param network the network with a node, whose rows are returned; by default, all rows
 */
export function createPaymentUpkeep(
  pool: pg.Pool,
  settings: PaymentRowSettings,
  network: NetworkName | null = null,
): PaymentUpkeep {
  const query = queryWith(pool, settings.queryTimeoutMs, 'upkeep', statements);
  const { replayMs, claimableMs, repeatMs } = settings;
  return {
    async due(max) {
      const { rows } = await query('due', [replayMs, claimableMs, max, network]);
      return rows.map(toPaymentRow);
    },
    async looked(id) {
      await query('looked', [id]);
    },
    async clear(keepMs) {
      await query('clearClaims');
      await query('clearBodies', [Math.max(replayMs, repeatMs), claimableMs]);
      await query('clearRows', [keepMs]);
    },
  };
}

const count = z.int();
const figures = z.object({
  payments: z.object({ settling: count, overdue: count, undelivered: count, released: count, no_node: count }),
  findings: z.object({ transfer_without_row: count, row_without_transfer: count, unreadable: count, reversed: count }),
  audit_age: z.number().nullable(),
});

/**
 * Returns the counts that an operator monitors. Rejects with `DatabaseLostError`.
 * @param network the network with a node
 */
export async function readPaymentFigures(
  pool: pg.Pool,
  settings: Pick<PaymentRowSettings, 'queryTimeoutMs' | 'claimableMs'>,
  network: NetworkName,
): Promise<PaymentFigures> {
  const query = queryWith(pool, settings.queryTimeoutMs, 'upkeep', statements);
  const { rows } = await query('figures', [network, settings.claimableMs]);
  const { payments, findings, audit_age: auditAgeSeconds } = figures.parse(rows[0]);
  return { payments, findings, auditAgeSeconds };
}
