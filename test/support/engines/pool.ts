import type pg from 'pg';
import { createPool } from '../../../src/postgres/pool.ts';

/** A pool as the programs have, with time for a busy machine. */
export function testPool(url: string, maxConnections: number): pg.Pool {
  const patient = { connectTimeoutMs: 60_000, statementTimeoutMs: 60_000, idleTimeoutMs: 30_000 };
  return createPool({ url, applicationName: 'test', maxConnections, ...patient }, () => undefined);
}
