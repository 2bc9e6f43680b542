import pg from 'pg';

/** Transactions held open next to the first connection: a pooler hands its server connection to one of them. */
const heldTransactions = 3;

/**
 * Number of tries if the process that greeted us is not the one that serves us, as behind every pooler: a busy one may
 * hand the server connection to another client in between.
 */
const triesBehindPooler = 12;

/** For each question; they take a millisecond. */
const answerTimeoutMs = 10_000;

/** PgBouncer's error for a setting in the startup message that it does not pass on; Postgres itself accepts ours. */
const refusedStartup = /unsupported startup parameter/;

/**
 * Returns true if an address is that of a pooler in transaction mode (PgBouncer, Pgpool, RDS Proxy …): an advisory
 * lock, LISTEN or SET of a session there stays on a server connection that other clients get next.
 *
 * Queries on one connection the process that serves it, before and while others hold transactions open. A process that
 * serves two of them, or that changes, is lent for a transaction. Opens four connections at most and
 * closes them. Throws the error of Postgres if it is unreachable.
 */
export async function poolsTransactions(config: pg.ClientConfig): Promise<boolean> {
  await using opened = new AsyncDisposableStack();
  const open = async (): Promise<pg.Client> => {
    const client = new pg.Client({ query_timeout: answerTimeoutMs, ...config });
    // A connection that breaks fails the query that is under way, and that one reports it.
    client.on('error', () => undefined);
    await client.connect();
    return opened.adopt(client, (one) => one.end());
  };
  try {
    const first = await open();
    const served = await backendOf(first);
    const isGreeter = greetedBy(first) === served;
    const holders: pg.Client[] = [];
    const tries = isGreeter ? heldTransactions : triesBehindPooler;
    for (let attempt = 0; attempt < tries; attempt += 1) {
      const holder = holders.length < heldTransactions ? await open() : holders.shift();
      if (holder === undefined) break;
      await holder.query('rollback');
      // The server connection is given back with this answer, and lent next, as a rule.
      if ((await backendOf(first)) !== served) return true;
      await holder.query('begin');
      holders.push(holder);
      if ((await backendOf(holder)) === served) return true;
    }
    return (await backendOf(first)) !== served;
  } catch (error) {
    if (error instanceof Error && refusedStartup.test(error.message)) return true;
    throw error;
  }
}

/** Returns the parameters that the server sent when the connection was opened; the driver's types leave them out. */
function greetedBy(client: pg.Client): unknown {
  return 'processID' in client ? client.processID : undefined;
}

async function backendOf(client: pg.Client): Promise<number | undefined> {
  const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid');
  return rows[0]?.pid;
}
