import { setTimeout as delay } from 'node:timers/promises';
import type pg from 'pg';
import { loggedTables } from './tables.ts';

// Migrations alter several tables in one transaction, and so do writers, in orders of their own: sooner or later one
// waits for the other in a circle, and Postgres ends one of them. So all tables that writers touch are locked before
// anything is altered. Waiting for a lock while holding others is what makes circles: it is done for less time than
// Postgres takes to look for them, and when that was not enough, everything is let go and tried again.

/** In the order in which writers reach them. Writers wait, readers of entities do not. */
const written = loggedTables;
/** The indexer's; its processes wait, too. */
const followed = ['search_changes', 'search_generations', 'search_reader_parts'] as const;

/** Below Postgres' deadlock_timeout, which is a second. */
const lockTimeoutMs = 300;
const pauseMaxMs = 200;
/** Longer than the longest batch of an import. */
const giveUpAfterMs = 120_000;

const lockNotAvailable = '55P03';
const deadlock = '40P01';

/**
 * Does work in a transaction in which nobody writes, and again where a deadlock ended it after all; the work may commit.
 * Throws what the work throws, or Postgres' `lock_not_available` when writers leave no gap for two minutes.
 */
export async function whileWritersPause<Result>(client: pg.ClientBase, work: () => Promise<Result>): Promise<Result> {
  const deadlineMs = performance.now() + giveUpAfterMs;
  for (;;) {
    try {
      await client.query('begin');
      await lockTables(client);
      const result = await work();
      await client.query('commit');
      return result;
    } catch (error) {
      await client.query('rollback');
      const code = typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined;
      const passing = code === lockNotAvailable || code === deadlock;
      if (!passing || performance.now() > deadlineMs) throw error;
    }
    // Nobody gains by foretelling it.
    // nosemgrep: no-predictable-chance
    await delay(Math.random() * pauseMaxMs);
  }
}

async function lockTables(client: pg.ClientBase): Promise<void> {
  const { rows } = await client.query<{ name: string }>(
    // A view's lock would be one of the tables that it shows, which are somebody else's.
    `select name from unnest($1::text[]) with ordinality as t (name, at) join pg_class c on c.oid = to_regclass($2 || name)
     where c.relkind in ('r', 'p') order by at`,
    [[...written, ...followed], 'public.'],
  );
  const there = new Set(rows.map(({ name }) => name));
  await client.query(`set local lock_timeout = ${lockTimeoutMs}`);
  for (const [tables, mode] of [
    [written, 'share row exclusive'],
    [followed, 'access exclusive'],
  ] as const) {
    const names = tables.filter((name) => there.has(name)).map((name) => `public.${name}`);
    if (names.length > 0) await client.query(`lock table ${names.join(', ')} in ${mode} mode`);
  }
  await client.query('set local lock_timeout = 0');
}
