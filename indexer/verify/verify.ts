import type pg from 'pg';
import { refreshIndex } from '../../src/elasticsearch/admin.ts';
import { endHalt, type Halt, readHalt } from '../change-log/halts.ts';
import { adoptMarker } from '../change-log/write-marker.ts';
import { IndexerError } from '../errors.ts';
import type { Generation } from '../generations/generations.ts';
import type { VerifyLimits } from '../limits.ts';
import { type Difference, entityIdOf } from './differences.ts';
import { type ScanProgress, scanDocuments } from './scan.ts';
import { SuspectCheck } from './suspects.ts';
import type { VerifyContext } from './verify-context.ts';

// Compares an index with the tables while both keep changing:
// 1. Every row is compared with every document, window by window. A difference is only a suspect: the two sides were
//    not read at the same moment. Suspects are judged in batches, while the scan waits.
// 2. The index is refreshed and the suspects are read by id.
// 3. A snapshot C of the tables is taken, and the comparison waits until the reader of the change log has passed C.
//    Then the index has the rows of the last check, or something newer.
// 4. Step 2 is repeated. A suspect that is equal now was in flight. One with the same state as before, on both sides, is
//    a difference. One that has changed and has a version drawn after this began was written from the tables since.
//    One that changed otherwise stays a suspect: step 3 is repeated until no suspect is left.
// If no reader runs, pending changes cannot be judged; they are counted, not compared.

export interface VerifyDeps extends Pick<VerifyContext, 'pool' | 'cluster' | 'nowMs'> {
  readonly config: { readonly verify: VerifyLimits };
}

export interface VerifyOptions {
  /** Compares whole documents, not only their hashes. */
  readonly deep: boolean;
  readonly signal: AbortSignal;
  readonly onProgress?: (progress: ScanProgress) => void;
  /** The comparison stops at this many proven differences; by default when no more can be held. */
  readonly stopAfter?: number;
  /** No reader applies the change log meanwhile, so the comparison does not wait. Always so for a halted generation. */
  readonly unfollowed?: boolean;
  /** Ids of documents that Elasticsearch has just rejected: they do not keep a halt from ending. */
  readonly rejected?: ReadonlySet<number>;
}

export interface VerifyReport extends ScanProgress {
  readonly generation: Generation;
  readonly deep: boolean;
  /** Proven: seen twice, with everything applied in between that was known at the first time. */
  readonly differences: readonly Difference[];
  /** Every row and every document was compared. Otherwise there are more differences than are held. */
  readonly complete: boolean;
  /** Complete, without a difference, and with every suspect judged. */
  readonly equal: boolean;
  /** Pending entries of the change log, the reason why `unjudged` cannot be separated from differences. */
  readonly pending: number;
  /** Documents that differ and have pending changes, or that changed at every check. */
  readonly unjudged: number;
  /** Those of them that changed at every check, as many as are held. */
  readonly changingKeys: readonly string[];
  /**
   * True if the index will equal the tables once pending changes are applied: those documents are read again and
   * written with versions above all in the index, so they need no comparison.
   */
  readonly proven: boolean;
  readonly seconds: number;
}

/**
 * Compares a generation with the tables. Changes neither, with one exception: a halted generation that is equal except
 * for pending changes may be followed again. Throws `ClusterRequestError`, an error of Postgres, or the signal's
 * reason.
 */
export async function verifyGeneration(
  deps: VerifyDeps,
  generation: Generation,
  options: VerifyOptions,
): Promise<VerifyReport> {
  const { pool, cluster, nowMs } = deps;
  const startMs = nowMs();
  const config = deps.config.verify;
  const { deep, signal, onProgress, stopAfter = config.differencesAtMost } = options;
  const halt = await readHalt(pool, generation.id);
  if (halt !== undefined) await adoptMarker(deps, generation);
  const isFollowed = halt === undefined && options.unfollowed !== true;
  const context: VerifyContext = { pool, cluster, config, nowMs, generation, deep, isFollowed, signal };
  await refreshIndex(cluster, generation.indexName);
  const suspects = new SuspectCheck(context);
  const scanned = await scanDocuments(context, {
    onProgress,
    check: async (keys) => {
      await suspects.check(keys);
      return suspects.differences.size < stopAfter;
    },
  });
  const differences = [...suspects.differences.values()];
  const { pending, waiting, changing, changingKeys } = suspects;
  const unjudged = waiting + changing;
  const report = { ...scanned, generation, deep, differences, pending, unjudged, changingKeys };
  const proven = isProven({ ...report, changing }, options.rejected);
  if (halt !== undefined && proven) await endHalt(pool, generation, halt, suspects.highestVersion);
  await refuseHaltedSince(pool, generation, halt);
  const equal = scanned.complete && differences.length === 0 && unjudged === 0;
  return { ...report, equal, proven, seconds: (nowMs() - startMs) / 1_000 };
}

/** Comparisons before a halt do not count: a side may have gone back since. */
async function refuseHaltedSince(pool: pg.Pool, generation: Generation, before: Halt | undefined): Promise<void> {
  const now = await readHalt(pool, generation.id);
  if (now === undefined || now.position === before?.position) return;
  throw new IndexerError(
    `${generation.indexName} was halted while it was compared, so there is no result. Run the command again.`,
  );
}

function isProven(
  found: Pick<VerifyReport, 'complete' | 'differences'> & { readonly changing: number },
  rejected: ReadonlySet<number> = new Set(),
): boolean {
  const { complete, differences, changing } = found;
  return complete && changing === 0 && differences.every(({ key }) => rejected.has(entityIdOf(key) ?? 0));
}
