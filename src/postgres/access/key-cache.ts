import { LRUCache } from 'lru-cache';
import type { KeyDirectory, KeyLookup, KeyRecord } from '../../access/keys.ts';
import type { Clock } from '../../ports.ts';

/** All times in milliseconds. */
export interface KeyCacheSettings {
  /** Lifetime of a found key in the cache: a revocation takes effect within this time. */
  readonly cacheMs: number;
  /** Additional lifetime of an existing key while Postgres is down. */
  readonly staleMs: number;
  readonly cacheSize: number;
}

/** Maximum lifetime of an unknown hash in the cache. */
const missMs = 1_000;
/** After a failure of Postgres, known keys are accepted for this long without another lookup. */
const retryMs = 1_000;

interface Held {
  readonly key: KeyRecord | null;
  /** The start of the lookup, because it may miss later changes. */
  readonly askedAtMs: number;
}

/**
 * Caches the results of a directory, in bounded memory.
 *
 * While Postgres answers, a key is looked up again after `cacheMs`, so a revocation takes effect within that time.
 * While Postgres is down, known keys stay valid for another `staleMs`. A search needs nothing else from Postgres, so
 * its restart affects no caller. A process that has lost its connection misses revocations for that time. Unknown
 * hashes are cached separately for a second, so that guesses don't evict valid keys.
 */
export function cacheKeys(directory: KeyDirectory, settings: KeyCacheSettings, clock: Clock): KeyDirectory {
  const found = new LRUCache<string, Held>({ max: settings.cacheSize });
  const missing = new LRUCache<string, Held>({ max: settings.cacheSize });
  const asking = new Map<string, Promise<KeyLookup>>();
  let failedAtMs = Number.NEGATIVE_INFINITY;

  const ageMs = (held: Held) => clock.elapsed() - held.askedAtMs;

  async function ask(id: string, hash: Buffer): Promise<KeyLookup> {
    const askedAtMs = clock.elapsed();
    const finding = await directory.find(hash);
    if (!finding.ok) {
      failedAtMs = clock.elapsed();
      return finding;
    }
    const held = { key: finding.key, askedAtMs };
    (finding.key === null ? missing : found).set(id, held);
    (finding.key === null ? found : missing).delete(id);
    return finding;
  }

  function askOnce(id: string, hash: Buffer): Promise<KeyLookup> {
    const running = asking.get(id);
    if (running !== undefined) return running;
    const started = ask(id, hash).finally(() => asking.delete(id));
    asking.set(id, started);
    return started;
  }

  return {
    async find(hash) {
      const id = hash.toString('base64');
      const miss = missing.get(id);
      if (miss !== undefined && ageMs(miss) < Math.min(missMs, settings.cacheMs)) return { ok: true, key: null };
      const held = found.get(id);
      if (held === undefined) return askOnce(id, hash);
      if (ageMs(held) < settings.cacheMs) return { ok: true, key: held.key };
      const mayBeStale = ageMs(held) < settings.cacheMs + settings.staleMs;
      if (mayBeStale && clock.elapsed() - failedAtMs < retryMs) return { ok: true, key: held.key };
      const finding = await askOnce(id, hash);
      return finding.ok || !mayBeStale ? finding : { ok: true, key: held.key };
    },
  };
}
