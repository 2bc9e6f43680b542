import type pg from 'pg';
import type { KindName } from '../src/kinds/kind.ts';

/** The lifecycle lock of a kind while it is held: reindexing, swapping and removing its generations. */
export interface HeldLock extends AsyncDisposable {
  /** Aborted when the connection that holds the lock breaks: another may hold it from then on. */
  readonly lost: AbortSignal;
}

/** Who has the lock that was wanted. */
export interface LockHolder {
  readonly pid: number;
  readonly applicationName: string;
  /** When its connection was opened, ISO 8601. A connection is opened for the lock. */
  readonly since: string;
}

/** One number for this program's lifecycle locks; the second number is the kind. */
const lockClass = `hashtext('entity-search lifecycle')`;

/**
 * Takes the lifecycle lock of a kind, or says who has it (undefined: he let go just now). It lies on a connection of
 * its own, and Postgres looks after that with TCP keep-alives: a holder that vanished loses it within half a minute.
 */
export async function takeLock(
  pool: pg.Pool,
  kind: KindName,
  applicationName: string,
): Promise<{ readonly held: HeldLock } | { readonly holder: LockHolder | undefined }> {
  const client = await pool.connect();
  const lost = new AbortController();
  client.on('error', (error) => lost.abort(lostError(kind, error)));
  client.on('end', () => lost.abort(lostError(kind, undefined)));
  try {
    await client.query(
      `select set_config('application_name', $1, false), set_config('idle_session_timeout', '0', false),
              set_config('tcp_keepalives_idle', '10', false), set_config('tcp_keepalives_interval', '5', false),
              set_config('tcp_keepalives_count', '3', false)`,
      [applicationName],
    );
    const { rows } = await client.query<{ taken: boolean }>(
      `select pg_try_advisory_lock(${lockClass}, hashtext($1)) as taken`,
      [kind],
    );
    if (rows[0]?.taken !== true) {
      const holder = await findHolder(client, kind);
      client.release(true);
      return { holder };
    }
  } catch (error) {
    client.release(true);
    throw error;
  }
  return { held: { lost: lost.signal, [Symbol.asyncDispose]: () => letGo(client, kind) } };
}

// Said aloud, because Postgres notices a closed connection a little later than whoever comes next; closed as well,
// because that lets go of the lock whatever state the session is in.
async function letGo(client: pg.PoolClient, kind: KindName): Promise<void> {
  try {
    await client.query(`select pg_advisory_unlock(${lockClass}, hashtext($1))`, [kind]);
  } catch {
    // The connection is broken, so it holds nothing any more; whoever cared was told by `lost`.
  } finally {
    client.release(true);
  }
}

async function findHolder(client: pg.PoolClient, kind: KindName): Promise<LockHolder | undefined> {
  // The halves of a two-number key are shown as unsigned numbers.
  const { rows } = await client.query<LockHolder>(
    `select l.pid, coalesce(a.application_name, '') as "applicationName",
            to_char(a.backend_start at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"') as since
     from pg_locks l join pg_stat_activity a on a.pid = l.pid
     where l.locktype = 'advisory' and l.granted and l.objsubid = 2
       and l.database = (select oid from pg_database where datname = current_database())
       and l.classid = (${lockClass}::bigint & 4294967295)::oid
       and l.objid = (hashtext($1)::bigint & 4294967295)::oid`,
    [kind],
  );
  return rows[0];
}

function lostError(kind: KindName, cause: Error | undefined): Error {
  const options = cause === undefined ? {} : { cause };
  return new Error(
    `The connection that held the lock of ${kind} broke. Check Postgres, then run the command again.`,
    options,
  );
}
