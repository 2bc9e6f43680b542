import type pg from 'pg';
import { isoTimestamp } from '../../lib/iso-timestamp.ts';
import type { FindingKind } from '../../payments/ledger/audit.ts';

/** A difference of ledger and chain, as an operator sees it. Times are ISO 8601 in UTC; `amount` is in base units. */
export interface AuditFinding {
  readonly id: number;
  readonly kind: FindingKind;
  readonly transaction: string;
  readonly event_at: number | null;
  readonly block: number;
  readonly payer: string;
  readonly amount: string;
  readonly payment: number | null;
  readonly network: string;
  readonly pay_to: string;
  readonly found_at: string;
}

/** The oldest findings that are open, and how many there are. */
export async function openFindings(
  pool: pg.Pool,
  max: number,
): Promise<{ readonly count: number; readonly findings: readonly AuditFinding[] }> {
  const open = 'resolved_at is null and acknowledged_at is null';
  const { rows: counted } = await pool.query<{ count: number }>(
    `select count(*)::int as count from x402_audit_findings where ${open}`,
  );
  const { rows: findings } = await pool.query<AuditFinding>(
    `select id, kind, tx_hash as transaction, event_at, block, payer, amount::text, payment, network, pay_to,
       ${isoTimestamp('found_at')} as found_at
     from x402_audit_findings where ${open} order by id limit $1`,
    [max],
  );
  return { count: counted[0]?.count ?? 0, findings };
}

/** Notes why findings are as they are; from then on nobody is told of them. Answers the ids that were open. */
export async function acknowledgeFindings(
  pool: pg.Pool,
  ids: readonly number[],
  note: string,
): Promise<readonly number[]> {
  const { rows } = await pool.query<{ id: number }>(
    `update x402_audit_findings set acknowledged_at = now(), note = $2
     where id = any($1::bigint[]) and resolved_at is null and acknowledged_at is null returning id`,
    [ids, note],
  );
  return rows.map(({ id }) => id).sort((one, other) => one - other);
}
