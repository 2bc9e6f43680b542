import { LRUCache } from 'lru-cache';
import type { Pool } from 'pg';
import type { KeyUsage } from '../../access/keys.ts';
import { debounce } from '../../lib/debounce.ts';
import type { Clock } from '../../ports.ts';

/** All times in milliseconds. */
export interface KeyUsageSettings {
  /** Precision of `last_used_at`: each process writes a key in steady use once per this time. */
  readonly everyMs: number;
  /** Time for which uses are collected before they are written together. */
  readonly flushMs: number;
  /** Maximum number of keys whose last write is remembered. */
  readonly keysMax: number;
}

// Skip a key that another process is writing: one writer is enough, and waiting could cause a deadlock.
const write = `
  update api_keys k set last_used_at = u.used_at
  from unnest($1::bigint[], $2::float8[]) as t (id, at_ms)
  cross join lateral (select to_timestamp(t.at_ms / 1000) as used_at) as u
  where k.id = t.id and k.id in (select id from api_keys where id = any($1) for no key update skip locked)
    and (k.last_used_at is null or k.last_used_at < u.used_at - $3 * interval '1 ms')`;

/** Writes the last use of keys rarely, and many keys at once. After a failed write, a later use is written. */
export function createKeyUsage(
  pool: Pool,
  settings: KeyUsageSettings,
  clock: Clock,
  onFailure: (cause: unknown) => void,
): KeyUsage & { close(): Promise<void> } {
  /** The last recorded use of each key, on the monotonic clock. */
  const noted = new LRUCache<number, number>({ max: settings.keysMax });
  let waiting = new Map<number, number>();

  async function flush(): Promise<void> {
    const batch = waiting;
    waiting = new Map();
    if (batch.size === 0) return;
    try {
      await pool.query(write, [[...batch.keys()], [...batch.values()], settings.everyMs]);
    } catch (cause) {
      onFailure(cause);
      for (const id of batch.keys()) noted.delete(id);
    }
  }

  const debounced = debounce(flush, settings.flushMs);
  return {
    record(keyId) {
      const beforeMs = noted.get(keyId);
      if (beforeMs !== undefined && clock.elapsed() - beforeMs < settings.everyMs) return;
      noted.set(keyId, clock.elapsed());
      waiting.set(keyId, clock.now());
      debounced.schedule();
    },
    close: () => debounced.flush(),
  };
}
