import type pg from 'pg';
import type { AccountPayment } from '../../account/ports.ts';
import { isoTimestamp } from '../../lib/iso-timestamp.ts';
import type { FindingKind } from '../../payments/ledger/audit.ts';
import type { RowStatus } from '../../payments/ledger/states.ts';
import { readValue } from '../statements.ts';

/** A payment in full, without the answer's text and the signature. Times are ISO 8601 in UTC. */
export interface LedgerDetail extends AccountPayment {
  readonly nonce: string;
  readonly valid_before: string;
  readonly payment_id: string | null;
  readonly from_block: number | null;
  readonly block: number | null;
  /** The time of the last background check on the chain. */
  readonly looked_at: string | null;
  readonly leased_until: string | null;
  readonly answer_kept: boolean;
}

export interface LedgerFilter {
  readonly status?: RowStatus;
  readonly payer?: string;
}

const entry = `id, status, network, payer, amount::text, tx_hash as transaction, ${isoTimestamp('created_at')} as created_at,
  ${isoTimestamp('settled_at')} as settled_at, ${isoTimestamp('delivered_at')} as delivered_at`;
/** The columns of a payment as `LedgerDetail` has them. */
export const ledgerColumns = `${entry}, asset, pay_to, nonce, ${isoTimestamp('to_timestamp(valid_before::float8)')} as valid_before, payment_id,
  request, from_block, block, final, ${isoTimestamp('looked_at')} as looked_at, ${isoTimestamp('lease_until')} as leased_until, body is not null as answer_kept`;

/** Returns the newest payments first. */
export async function listPayments(
  pool: pg.Pool,
  { status, payer }: LedgerFilter,
  limit: number,
): Promise<readonly object[]> {
  const { rows } = await pool.query<object>(
    `select ${entry} from x402_payments
     where ($1::text is null or status = $1) and ($2::text is null or payer = $2)
     order by id desc limit $3`,
    [status ?? null, payer?.toLowerCase() ?? null, limit],
  );
  return rows;
}

/** Counts open payments of networks without a node, which no process can complete. */
export function countWithoutNode(pool: pg.Pool, network: string): Promise<number> {
  return readValue(
    pool,
    `select count(*)::int from x402_payments
     where (status in ('settling', 'released') or (status = 'settled' and not final)) and network <> $1`,
    [network],
  );
}

/** Formats that count for an operator. */
export function withoutNodeSentence(payments: number, network: string): string {
  return `${payments} payment(s) stay open: they are of another network than ${network}, whose chain is not queried.`;
}

/** Payments with this id, nonce or transaction. */
export async function findPayments(pool: pg.Pool, name: string): Promise<readonly LedgerDetail[]> {
  const id = /^\d{1,15}$/.test(name) ? Number(name) : null;
  const { rows } = await pool.query<LedgerDetail>(
    `select ${ledgerColumns} from x402_payments where id = $1 or nonce = $2 or tx_hash = $2 order by id`,
    [id, name.toLowerCase()],
  );
  return rows;
}

/** Rows read from the database at once. */
const pageRows = 1_000;

/** Yields the payments settled within [from, to), in the order of their claims. */
export async function* settledPayments(
  pool: pg.Pool,
  span: { readonly from: Date | null; readonly to: Date | null },
): AsyncGenerator<LedgerDetail> {
  let after = 0;
  for (;;) {
    const { rows } = await pool.query<LedgerDetail>(
      `select ${ledgerColumns} from x402_payments
       where status = 'settled' and id > $1
         and ($2::timestamptz is null or settled_at >= $2)
         and ($3::timestamptz is null or settled_at < $3)
       order by id limit $4`,
      [after, span.from, span.to, pageRows],
    );
    yield* rows;
    const last = rows.at(-1);
    if (last === undefined || rows.length < pageRows) return;
    after = last.id;
  }
}

/** A finding of the audit, for an operator. Times are ISO 8601 in UTC; `amount` is in base units. */
export interface AuditFinding {
  readonly id: number;
  readonly kind: FindingKind;
  readonly block: number;
  readonly transaction: string | null;
  readonly log_index: number | null;
  readonly payer: string | null;
  readonly amount: string | null;
  readonly payment: number | null;
  readonly network: string;
  readonly pay_to: string;
  readonly found_at: string;
}

/** Returns the oldest findings that are open, and how many there are. */
export async function openFindings(
  pool: pg.Pool,
  max: number,
): Promise<{ readonly count: number; readonly findings: readonly AuditFinding[] }> {
  const open = 'resolved_at is null and acknowledged_at is null';
  const count = await readValue<number>(pool, `select count(*)::int from x402_audit_findings where ${open}`);
  const { rows: findings } = await pool.query<AuditFinding>(
    `select id, kind, block, tx_hash as transaction, log_index, payer, amount::text, payment, network, pay_to,
       ${isoTimestamp('found_at')} as found_at
     from x402_audit_findings where ${open} order by id limit $1`,
    [max],
  );
  return { count, findings };
}

/** Acknowledges findings with a note; they are no longer reported. Returns the ids that were open. */
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
