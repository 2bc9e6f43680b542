import type pg from 'pg';
import { countWithoutNode, withoutNodeSentence } from '../../../src/postgres/payments/ledger-admin.ts';
import { type Finding, ok, warn } from '../finding.ts';

export const ledgerName = 'payments';

interface Counts {
  readonly open: number;
  readonly unconfirmed: number;
  readonly denied: number;
  readonly findings: number;
  readonly late: number;
}

/**
 * What is wrong with the ledger of payments.
 * @param network the one of which a node is configured; null where nothing is said of payments
 */
export async function ledgerFindings(pool: pg.Pool, network: string | null): Promise<readonly Finding[]> {
  const { rows } = await pool.query<Counts>(
    `select (select count(*) from x402_payments where status in ('processing', 'settling', 'unknown')
               and created_at < now() - interval '1 hour' and ($1::text is null or network = $1))::int as open,
            (select count(*) from x402_payments where status = 'settled' and not confirmed
               and not final and settled_at < now() - interval '1 hour')::int as unconfirmed,
            (select count(*) from x402_payments where status = 'denied' and updated_at > now() - interval '30 days')::int as denied,
            (select count(*) from x402_audit_findings where resolved_at is null and acknowledged_at is null)::int as findings,
            (select count(*) from x402_audits where network = $1
               and coalesce(finished_at, created_at) < now() - interval '1 hour')::int as late`,
    [network],
  );
  const [counts] = rows;
  const withoutNode = network === null ? 0 : await countWithoutNode(pool, network);
  const findings =
    counts === undefined ? [] : sentencesOf(counts).map(([found, todo]) => warn(ledgerName, found, todo));
  if (network !== null && withoutNode > 0) {
    const todo =
      'Run one API process with X402_NETWORK and X402_RPC_URL of that network until they are settled or expired.';
    findings.push(warn(ledgerName, withoutNodeSentence(withoutNode, network), todo));
  }
  return findings.length > 0
    ? findings
    : [ok(ledgerName, 'No payment is open for long, denied, or other than the chain says.')];
}

function sentencesOf({ open, unconfirmed, denied, findings, late }: Counts): readonly (readonly [string, string])[] {
  const sentences: (readonly [string, string])[] = [];
  if (open > 0) {
    sentences.push([
      `${open} payment(s) are open for more than an hour.`,
      "See entity-search payments list --status unknown; an API process decides them when the chain's node answers.",
    ]);
  }
  if (unconfirmed > 0) {
    sentences.push([
      `${unconfirmed} payment(s) are settled on the facilitator's word, and the chain has not shown them for an hour.`,
      "See entity-search payments list --unconfirmed, and whether the chain's node answers.",
    ]);
  }
  if (denied > 0) {
    sentences.push([
      `${denied} payment(s) were served within 30 days, and their money never arrived.`,
      'See entity-search payments list --status denied; ask the facilitator, or use another.',
    ]);
  }
  if (findings > 0) {
    sentences.push([
      `Ledger and chain differ in ${findings} finding(s).`,
      'Run: entity-search payments audit, and acknowledge what is as it should be.',
    ]);
  }
  if (late > 0) {
    sentences.push([
      `The audit of ${late} recipient(s) has not come to its end for an hour.`,
      'Run: entity-search payments audit; the log of the API says why it does not end.',
    ]);
  }
  return sentences;
}
