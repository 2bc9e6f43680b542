import type pg from 'pg';
import { createSerialQueue } from '../../src/lib/serial-queue.ts';
import { findHolder, type LockHolder, tryLock, unlock, watchConnection } from '../generations/locks.ts';

/**
 * One connection that holds the reader locks of a process. When it breaks, `lost` aborts: from
 * then on others may hold the locks.
 */
export interface ReaderLocks extends AsyncDisposable {
  readonly lost: AbortSignal;
  /** True where the reader lock of an index is ours now; else who has it (undefined: let go just now). */
  take(indexName: string): Promise<true | LockHolder | undefined>;
  release(indexName: string): Promise<void>;
}

export async function openReaderLocks(pool: pg.Pool, applicationName: string): Promise<ReaderLocks> {
  const client = await pool.connect();
  const lost = new AbortController();
  client.on('error', (error) => lost.abort(error));
  client.on('end', () => lost.abort(new Error('The connection that holds the locks of the readers has ended.')));
  try {
    await watchConnection(client, applicationName);
  } catch (error) {
    client.release(true);
    throw error;
  }
  // Readers come and leave when they like; a connection is asked one thing at a time.
  const serially = createSerialQueue();
  return {
    lost: lost.signal,
    take(name) {
      const lock = { space: 'reader', name } as const;
      return serially(async () => (await tryLock(client, lock)) || (await findHolder(client, lock)));
    },
    release: (name) => serially(() => unlock(client, { space: 'reader', name })),
    async [Symbol.asyncDispose]() {
      // Closed, not given back: that lets go of the locks whatever state the session is in.
      client.release(true);
    },
  };
}
