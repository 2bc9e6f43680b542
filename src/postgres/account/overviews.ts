import type { GenerationState, LedgerOverview, PaymentSum } from '../../account/ports.ts';
import { isoTimestamp } from '../../lib/iso-timestamp.ts';
import type { Database } from '../statements.ts';

/** Returns the state of the indices according to Postgres. */
export async function readGenerations(database: Database): Promise<readonly GenerationState[]> {
  const { rows } = await database.query<GenerationState>(
    `select g.kind, g.index_name as index, g.state, g.state = 'live' as searched, g.halted,
            case when g.halted is null then lag.pending end as pending,
            case when g.halted is null then lag.seconds end as lag_seconds,
            (select count(*) from search_dead_letters l where l.generation_id = g.id) as dead_letters,
            (select json_build_object('at', ${isoTimestamp('v.at')}, 'outcome', v.outcome, 'differences', v.differences)
             from search_verifications v where v.generation = g.index_name) as verification,
            ${isoTimestamp('g.created_at')} as created_at
     from search_generations g left join search_lag lag on lag.generation_id = g.id
     where g.ended_at is null order by g.kind, g.number desc`,
    [],
  );
  return rows;
}

/** Returns the figures of the ledger, and the time of its last comparison with the chain. */
export async function readLedgerOverview(database: Database): Promise<LedgerOverview> {
  const { rows: sums } = await database.query<PaymentSum>(
    `select status, network, asset, count(*) as count, sum(amount)::text as amount from x402_payments
     group by status, network, asset order by status, network, asset`,
    [],
  );
  const { rows } = await database.query<Omit<LedgerOverview, 'sums'>>(
    `select ${isoTimestamp('a.finished_at')} as audited_at, a.recipients,
            (select count(*) from x402_audit_findings where resolved_at is null and acknowledged_at is null) as open_findings
     from (
       select case when bool_and(finished_at is not null) then min(finished_at) end as finished_at, count(*) as recipients
       from x402_recipients
     ) as a`,
    [],
  );
  const [audit = { audited_at: null, recipients: 0, open_findings: 0 }] = rows;
  return { sums, ...audit };
}
