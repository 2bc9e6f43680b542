import { LRUCache } from 'lru-cache';
import type { KeyDirectory, KeyLookup, KeyRecord } from '../../access/keys.ts';
import type { Clock } from '../../ports.ts';

/** All times in milliseconds. */
export interface KeyCacheSettings {
  /** How long a found key is believed: a revocation takes effect within this time. */
  readonly cacheMs: number;
  /** How long a key that exists goes on being believed while Postgres can't be asked. */
  readonly staleMs: number;
  readonly cacheSize: number;
}

/** How long a hash that no key has is believed to have none, at most. */
const missMs = 1_000;
/** After Postgres could not be asked, known keys are served for this long without asking again. */
const retryMs = 1_000;

interface Held {
  readonly key: KeyRecord | null;
  /** When the look-up began, not when it ended: what was changed meanwhile may be unknown to it. */
  readonly askedAtMs: number;
}

/**
 * Holds what a directory found, in bounded memory.
 *
 * While Postgres answers, a key is asked for again after `cacheMs`, so revocation is effective within that time. While
 * Postgres can't be asked, keys that were found before are believed for `staleMs` more: a search needs nothing else from
 * it, so its restart refuses nobody who is calling. A process that alone has lost Postgres misses revocations for so long. Hashes that no key has are held apart, for a second: guessed keys never push out good ones.
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
