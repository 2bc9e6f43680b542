import { isoTimestamp } from '../lib/iso-timestamp.ts';
import type { Database } from './statements.ts';

/** `unjudged`: equal except for pending changes; `incomplete`: stopped at too many differences. */
type VerificationOutcome = 'equal' | 'different' | 'unjudged' | 'incomplete';

/** A comparison of a kind's searched index with its table. Times are ISO 8601 in UTC. */
export interface StoredVerification {
  readonly kind: string;
  readonly generation: string;
  readonly at: string;
  readonly outcome: VerificationOutcome;
  readonly rows: number;
  readonly differences: number;
  /** Whole documents were compared, not only their hashes. */
  readonly deep: boolean;
}

/** Stores the result as the kind's last comparison, but only that of the live index. */
export async function recordVerification(
  database: Database,
  { kind, generation, outcome, rows, differences, deep }: Omit<StoredVerification, 'at'>,
): Promise<void> {
  await database.query(
    `insert into search_verifications (kind, generation, outcome, rows, differences, deep)
     select kind, index_name, $2, $3, $4, $5 from search_generations
     where index_name = $1 and kind = $6 and state = 'live'
     on conflict (kind) do update set generation = excluded.generation, at = excluded.at, outcome = excluded.outcome,
       rows = excluded.rows, differences = excluded.differences, deep = excluded.deep`,
    [generation, outcome, rows, differences, deep, kind],
  );
}

/** Returns the last verification of each kind, in the order of kinds' names. */
export async function readVerifications(database: Database): Promise<readonly StoredVerification[]> {
  const { rows } = await database.query<StoredVerification>(
    `select kind, generation, ${isoTimestamp('at')} as at, outcome, rows, differences, deep
     from search_verifications order by kind`,
    [],
  );
  return rows;
}
