import { LRUCache } from 'lru-cache';
import type { Pool } from 'pg';
import type { KeyUsage } from '../../access/keys.ts';
import { debounce } from '../../lib/debounce.ts';
import type { Clock } from '../../ports.ts';

/** All times in milliseconds. */
export interface KeyUsageSettings {
  /** Precision of `last_used_at`: a key in steady use is written once in this time by each process. */
  readonly everyMs: number;
  /** Time for which uses are gathered before they are written together. */
  readonly flushMs: number;
  /** Keys whose last write this process remembers. */
  readonly keysMax: number;
}

// A key that another process is writing at this moment needs no second writer, and waiting for it could make a circle.
const write = `
  update api_keys k set last_used_at = u.used_at
  from unnest($1::bigint[], $2::float8[]) as t (id, at_ms)
  cross join lateral (select to_timestamp(t.at_ms / 1000) as used_at) as u
  where k.id = t.id and k.id in (select id from api_keys where id = any($1) for no key update skip locked)
    and (k.last_used_at is null or k.last_used_at < u.used_at - $3 * interval '1 ms')`;

/** Writes the last use of keys: lazily, seldom and many at once. A failed write is left to a later use. */
export function createKeyUsage(
  pool: Pool,
  settings: KeyUsageSettings,
  clock: Clock,
  onFailure: (cause: unknown) => void,
): KeyUsage & { close(): Promise<void> } {
  /** When a key was last noted, on the monotonic clock. */
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
