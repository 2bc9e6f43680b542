import type pg from 'pg';

/** What a server and its database are. */
interface Identity {
  readonly system: string;
  readonly database: string;
  readonly timeline: number;
}

/** What a standby must be, and have replayed. */
export interface NeededStandby extends Identity {
  /** A position in the primary's WAL. */
  readonly lsn: string;
  /** Drawn from the primary's sequence before that. */
  readonly version: number;
}

/** Foreign: it can never be read from. Unusable: it can't now. */
export type StandbyVerdict =
  | { readonly kind: 'good' }
  | { readonly kind: 'lagging' | 'unusable' | 'foreign'; readonly why: string };

const sameForBoth = `s.system_identifier::text as system,
  (select d.oid::text from pg_database d where d.datname = current_database()) as database`;

/** What the primary is now; another timeline after a failover. */
export async function readPrimary(pool: pg.Pool): Promise<Identity> {
  const { rows } = await pool.query<Identity>(
    `select ${sameForBoth}, ('x' || substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8))::bit(32)::int as timeline
     from pg_control_system() as s`,
  );
  const [row] = rows;
  if (row === undefined) throw new Error('Postgres answered nothing about itself.');
  return row;
}

interface StandbyState extends Identity {
  readonly recovering: boolean;
  readonly replayed: boolean;
  readonly behindSeconds: number | null;
}

/** Whether what a connection reads next has all that is needed. Throws what Postgres says. */
export async function judgeStandby(client: pg.PoolClient, needed: NeededStandby): Promise<StandbyVerdict> {
  const { rows } = await client.query<StandbyState>({
    text: `select ${sameForBoth}, greatest(c.timeline_id, r.min_recovery_end_timeline) as timeline,
                  pg_is_in_recovery() as recovering,
                  coalesce(pg_last_wal_replay_lsn() >= $1::pg_lsn, false) as replayed,
                  extract(epoch from clock_timestamp() - pg_last_xact_replay_timestamp())::int as "behindSeconds"
           from pg_control_system() as s, pg_control_checkpoint() as c, pg_control_recovery() as r`,
    values: [needed.lsn],
    query_timeout: judgeTimeoutMs,
  });
  const [state] = rows;
  if (state === undefined) throw new Error('The standby answered nothing about itself.');
  const verdict = judgeState(state, needed);
  // A server that follows another one than the primary may have as much WAL; versions that were drawn here, it has not.
  if (verdict.kind !== 'good' || (await lastVersion(client)) >= needed.version) return verdict;
  return { kind: 'unusable', why: 'it does not follow this primary: it lacks what was written there' };
}

/** For a server that hangs. */
const judgeTimeoutMs = 2_000;

/** Pure. */
export function judgeState(state: StandbyState, needed: NeededStandby): StandbyVerdict {
  if (state.system !== needed.system) {
    return { kind: 'foreign', why: `its system identifier is ${state.system}, not ${needed.system}` };
  }
  if (state.database !== needed.database) return { kind: 'foreign', why: 'it is another database of the server' };
  if (!state.recovering) return { kind: 'unusable', why: 'it is no standby, or was promoted' };
  if (state.timeline !== needed.timeline) {
    const why = `it was last known on timeline ${state.timeline}, and the primary is on ${needed.timeline}`;
    return { kind: 'unusable', why };
  }
  if (state.replayed) return { kind: 'good' };
  const behind = state.behindSeconds === null ? '' : `; its last transaction is ${state.behindSeconds} s old`;
  return { kind: 'lagging', why: `it has not replayed what was committed${behind}` };
}

async function lastVersion(client: pg.PoolClient): Promise<number> {
  const { rows } = await client.query<{ version: number }>('select last_value as version from search_versions');
  return rows[0]?.version ?? 0;
}
