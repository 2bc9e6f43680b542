import type pg from 'pg';
import { isStandby, lendReader, type Reader } from '../read/standby.ts';
import { nextVersion } from '../read/versions.ts';

/**
 * A connection that rows are compared by. Of a standby, where there is one, that has replayed all that was committed when
 * it was lent; of the primary once reading from the standby has failed.
 */
export class ScanConnection {
  readonly #pool: pg.Pool;
  #reader: Reader;

  private constructor(pool: pg.Pool, reader: Reader) {
    this.#pool = pool;
    this.#reader = reader;
  }

  static async open(pool: pg.Pool): Promise<ScanConnection> {
    return new ScanConnection(pool, await prepared(await lendReader(pool, await nextVersion(pool))));
  }

  /** May do the work twice. */
  async run<Result>(work: (client: pg.PoolClient) => Promise<Result>): Promise<Result> {
    const { client, standby } = this.#reader;
    if (standby === undefined) return work(client);
    try {
      const result = await work(client);
      if (await isStandby(client)) return result;
      throw new Error('it was promoted while it was read');
    } catch (error) {
      standby.failed(error);
    }
    const primary = await prepared({ client: await this.#pool.connect(), standby: undefined });
    client.release(true);
    this.#reader = primary;
    return work(primary.client);
  }

  /** @param broken something failed: it is given to nobody else */
  async close(broken: boolean): Promise<void> {
    const { client } = this.#reader;
    let unfit = true;
    try {
      if (!broken) {
        await client.query('reset jit');
        await client.query('reset max_parallel_workers_per_gather');
        unfit = false;
      }
    } finally {
      client.release(unfit);
    }
  }
}

async function prepared(reader: Reader): Promise<Reader> {
  try {
    // Compiling costs a second a window; and the windows are what goes on in parallel.
    await reader.client.query('set jit = off');
    await reader.client.query('set max_parallel_workers_per_gather = 0');
    return reader;
  } catch (error) {
    reader.client.release(true);
    throw error;
  }
}
