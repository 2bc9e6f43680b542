import type pg from 'pg';
import { Standby } from '../../../indexer/read/standby.ts';
import { lastVersion } from '../../../indexer/read/versions.ts';
import { type Check, ok, warn } from '../finding.ts';

const waitMs = 2_000;

/** Can documents be read from the standby of DATABASE_READ_URL? `pool` leads to the primary. */
export function standbyCheck(pool: pg.Pool, standbyPool: pg.Pool): Check {
  return {
    name: 'postgres standby',
    async run() {
      let problem = '';
      const onChange = (reason: string | null): void => {
        problem = reason ?? '';
      };
      const standby = new Standby(pool, standbyPool, { waitMs, awayMs: 0, nowMs: () => performance.now(), onChange });
      const client = await standby.lend(await lastVersion(pool));
      client?.release();
      if (client !== undefined) return ok('It has replayed all that was committed.');
      return warn(
        `Documents are read from the primary, not from the standby of DATABASE_READ_URL: ${problem}.`,
        'Bring replication back (pg_stat_replication on the primary), or correct or leave out DATABASE_READ_URL.',
      );
    },
  };
}
