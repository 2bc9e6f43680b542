import type pg from 'pg';
import { z } from 'zod';
import type { PaymentFigures } from '../../payments/ledger/figures.ts';
import type { NetworkName } from '../../payments/protocol/networks.ts';
import { type PaymentRowSettings, queryWith } from './payments.ts';

// Every count is of an index that holds little else: what is settled, confirmed and delivered is in none of them.
const statement = {
  name: 'x402 figures',
  text: `select json_build_object(
      'unknown', count(*) filter (where status = 'unknown'),
      'overdue', count(*) filter (where status in ('settling', 'unknown') and created_at < now() - interval '1 hour'),
      'unconfirmed', count(*) filter (where status = 'settled' and not confirmed),
      'released', count(*) filter (where status = 'released'),
      'refused', count(*) filter (where status = 'refused'),
      'no_node', count(*) filter (where network <> $1),
      'denied', (select count(*) from x402_payments where status = 'denied'),
      'undelivered', (select count(*) from x402_payments where status = 'settled' and delivered_at is null
                        and settled_at > now() - $2::float8 * interval '1 ms')
    ) as payments,
    (select json_build_object(
        'transfer_without_row', count(*) filter (where kind = 'transfer_without_row'),
        'row_without_transfer', count(*) filter (where kind = 'row_without_transfer'))
      from x402_audit_findings where resolved_at is null and acknowledged_at is null) as findings,
    (select extract(epoch from now() - min(coalesce(finished_at, created_at)))::float8
      from x402_audits where network = $1) as audit_age
  from x402_payments
  where status in ('settling', 'unknown', 'released', 'refused') or (status = 'settled' and not final)`,
};

const count = z.int();
const figures = z.object({
  payments: z.object({
    unknown: count,
    overdue: count,
    unconfirmed: count,
    denied: count,
    undelivered: count,
    released: count,
    refused: count,
    no_node: count,
  }),
  findings: z.object({ transfer_without_row: count, row_without_transfer: count }),
  audit_age: z.number().nullable(),
});

/**
 * Counts what an operator watches. Rejects with `DatabaseLostError`.
 * @param network the one of which there is a node
 */
export async function readPaymentFigures(
  pool: pg.Pool,
  settings: Pick<PaymentRowSettings, 'queryTimeoutMs' | 'claimableMs'>,
  network: NetworkName,
): Promise<PaymentFigures> {
  const { rows } = await queryWith(pool, settings.queryTimeoutMs)(statement, [network, settings.claimableMs]);
  const { payments, findings, audit_age: auditAgeSeconds } = figures.parse(rows[0]);
  return { payments, findings, auditAgeSeconds };
}
