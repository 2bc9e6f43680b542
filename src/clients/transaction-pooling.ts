import pg from 'pg';

/** Transactions held open beside the first connection: a pooler hands its server connection to one of them. */
const heldTransactions = 3;

/** For each question; they take a millisecond. */
const answerTimeoutMs = 10_000;

/** What PgBouncer says of a setting in the startup message that it does not pass on; Postgres itself takes ours. */
const refusedStartup = /unsupported startup parameter/;

/**
 * Whether a pooler in transaction mode (PgBouncer, Pgpool, RDS Proxy …) stands at an address: whoever holds a session's
 * advisory lock, LISTEN or SET there holds them on a server connection that others are given next.
 *
 * Asks one connection for the process that serves it, before and while others hold transactions open. A process that
 * serves two of them, or that is another one afterwards, is lent for a transaction. Opens four connections at most and
 * closes them. Throws what Postgres says where it can't be reached.
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
    for (let held = 1; held <= heldTransactions; held += 1) {
      const other = await open();
      await other.query('begin');
      if ((await backendOf(other)) === served) return true;
    }
    return (await backendOf(first)) !== served;
  } catch (error) {
    if (error instanceof Error && refusedStartup.test(error.message)) return true;
    throw error;
  }
}

async function backendOf(client: pg.Client): Promise<number | undefined> {
  const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid');
  return rows[0]?.pid;
}
