import type pg from 'pg';
import { endHalt } from './epoch.ts';
import type { Cluster } from './reindex-actions.ts';
import type { VerifyConfig } from './verify-config.ts';
import { type Difference, entityOf, look } from './verify-look.ts';
import { currentSnapshot, pendingIds, waitUntilPassed } from './verify-position.ts';
import { type ScanProgress, scan } from './verify-scan.ts';
import { carriesHash, refresh, type Sides } from './verify-sides.ts';
import type { StoredGeneration } from './verify-target.ts';

// Whether an index holds exactly what the tables say, while both go on changing:
//
// 1. Everything is compared with everything. What differs is a suspect, no more: the two sides were not read at the
//    same moment.
// 2. The index is refreshed and the suspects are looked at by id.
// 3. A snapshot C of the tables is taken, and the reader of the change log waited for until it has passed C. Then
//    whatever the tables held at the last look is in the index, or something newer.
// 4. Again 2. A suspect that is equal now was in flight. One that looks as it did before, on both sides, is a
//    difference. One that has changed and was written with a version that was drawn after this began was brought from
//    the tables since. One that changed otherwise stays a suspect: again 3, until there are none of these.
//
// Where nobody reads the change log, what waits in it can't be judged; it is counted, not compared.

export interface VerifyDeps {
  readonly pool: pg.Pool;
  readonly cluster: Cluster;
  readonly config: VerifyConfig;
  readonly nowMs: () => number;
  readonly onProgress: (progress: ScanProgress) => void;
}

export interface VerifyReport extends ScanProgress {
  readonly generation: StoredGeneration;
  /** Whole documents were compared, not only the hashes that they carry. */
  readonly deep: boolean;
  /** Proven: seen twice, with everything applied in between that was known at the first time. */
  readonly differences: readonly Difference[];
  /** There are more than are held, and the comparison stopped. */
  readonly cutShort: boolean;
  /** Entries of the change log that wait for a reader, because of which `unjudged` can't be told from differences. */
  readonly pending: number;
  /** Documents that differ and are waited for in the change log, or that changed at each look. */
  readonly unjudged: number;
  readonly seconds: number;
}

/**
 * Compares a generation with the tables. Changes neither, but for this: where reading was halted because the database
 * had gone back, and nothing differs, it may go on. Throws `ActionFailedError`, what Postgres says, or the signal's reason.
 */
export async function verifyGeneration(
  deps: VerifyDeps,
  generation: StoredGeneration,
  options: { readonly deep: boolean; readonly signal: AbortSignal },
): Promise<VerifyReport> {
  const startMs = deps.nowMs();
  const { pool, cluster, config } = deps;
  const deep = options.deep || !carriesHash(generation);
  const sides: Sides = { pool, cluster, generation, deep };
  const halted = await isHalted(pool, generation);
  await refresh(sides);
  const { keys, ...scanned } = await scan(sides, { config, signal: options.signal, onProgress: deps.onProgress });
  const judged = await judge(deps, sides, keys, options.signal);
  const equal = judged.differences.length === 0 && judged.unjudged === 0;
  if (halted && equal) await endHalt(pool, generation.indexName);
  return { ...scanned, ...judged, generation, deep, seconds: (deps.nowMs() - startMs) / 1_000 };
}

async function isHalted(pool: pg.Pool, { id }: StoredGeneration): Promise<boolean> {
  const { rows } = await pool.query('select from search_generations where id = $1 and halted is not null', [id]);
  return rows.length > 0;
}

type Judged = Pick<VerifyReport, 'differences' | 'pending' | 'unjudged'>;

async function judge(deps: VerifyDeps, sides: Sides, keys: ReadonlySet<string>, signal: AbortSignal): Promise<Judged> {
  const { config, pool, nowMs } = deps;
  const { generation } = sides;
  const differences: Difference[] = [];
  if (keys.size === 0) return { differences, pending: 0, unjudged: 0 };
  const lookAgain = async (wanted: Iterable<string>): Promise<readonly Difference[]> => {
    signal.throwIfAborted();
    await refresh(sides);
    return look(sides, wanted, config.lookRows);
  };
  let pending = 0;
  let waiting = 0;
  const begun = await lastVersion(pool, 'draw');
  let open = await lookAgain(keys);
  for (let round = 1; open.length > 0 && round <= config.roundsAtMost; round += 1) {
    const snapshot = await currentSnapshot(pool);
    pending = await waitUntilPassed(pool, generation.id, snapshot, { ...config, nowMs, signal });
    const concerned = pending === 0 ? new Set<number>() : await pendingIds(pool, generation.id, generation.kind);
    const before = new Map(open.map(({ key, trace }) => [key, trace]));
    const now = await lookAgain(before.keys());
    const highest = await lastVersion(pool, 'read');
    const changed: Difference[] = [];
    for (const one of now) {
      if (concerned === 'all' || concerned.has(entityOf(one.key) ?? 0)) waiting += 1;
      else if (before.get(one.key) === one.trace) differences.push(one);
      // Written anew from the tables since this began; what came to the row after that is in the change log.
      else if (one.version <= begun || one.version > highest) changed.push(one);
    }
    open = changed;
  }
  return { differences, pending, unjudged: waiting + open.length };
}

/** The highest version that was drawn so far, or a new one: a document of a higher one shows a later state of its row. */
async function lastVersion(pool: pg.Pool, how: 'draw' | 'read'): Promise<number> {
  const { rows } = await pool.query<{ version: number }>(
    how === 'draw'
      ? `select nextval('search_versions') as version`
      : 'select last_value as version from search_versions',
  );
  return rows[0]?.version ?? 0;
}
