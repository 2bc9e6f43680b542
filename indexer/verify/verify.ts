import type pg from 'pg';
import type { Cluster } from '../../src/elasticsearch/admin.ts';
import { endHalt, type Halt, readHalt } from '../change-log/halts.ts';
import { adoptMarker } from '../change-log/write-marker.ts';
import { IndexerError } from '../errors.ts';
import type { Generation } from '../generations/generations.ts';
import type { VerifyLimits } from '../limits.ts';
import { type Difference, entityIdOf } from './differences.ts';
import { refreshIndex } from './indexed-documents.ts';
import { type ScanProgress, scanDocuments } from './scan.ts';
import { SuspectCheck } from './suspects.ts';
import type { VerifyContext } from './verify-context.ts';

// Whether an index holds exactly what the tables say, while both go on changing:
//
// 1. Everything is compared with everything, window by window. What differs is a suspect, no more: the two sides were
//    not read at the same moment. Suspects are judged in batches, while the scan waits.
// 2. The index is refreshed and the suspects are looked at by id.
// 3. A snapshot C of the tables is taken, and the reader of the change log waited for until it has passed C. Then
//    whatever the tables held at the last look is in the index, or something newer.
// 4. Repeat step 2. A suspect that is equal now was in flight. One that looks as it did before, on both sides, is a
//    difference. One that has changed and was written with a version that was drawn after this began was brought from
//    the tables since. One that changed otherwise stays a suspect: repeat from step 3 until no suspect is left.
//
// Where nobody reads the change log, what waits in it can't be judged; it is counted, not compared.

export interface VerifyDeps {
  readonly pool: pg.Pool;
  readonly cluster: Cluster;
  readonly config: { readonly verify: VerifyLimits };
  readonly nowMs: () => number;
}

export interface VerifyOptions {
  /** Compare whole documents, not only their hashes. */
  readonly deep: boolean;
  readonly signal: AbortSignal;
  readonly onProgress?: (progress: ScanProgress) => void;
  /** The comparison stops when so many differences are proven; by default when no more can be held. */
  readonly stopAfter?: number;
  /** Nobody applies the change log meanwhile: it is not waited for. So it is in any case where following is halted. */
  readonly unfollowed?: boolean;
  /** Ids of documents that Elasticsearch was asked to take just now and rejected: they keep no halt from ending. */
  readonly rejected?: ReadonlySet<number>;
}

export interface VerifyReport extends ScanProgress {
  readonly generation: Generation;
  /** Whole documents were compared, not only the hashes that they carry. */
  readonly deep: boolean;
  /** Proven: seen twice, with everything applied in between that was known at the first time. */
  readonly differences: readonly Difference[];
  /** Every row and every document was compared. Otherwise there are more differences than are held. */
  readonly complete: boolean;
  /** Complete, without a difference, and nothing left that could not be judged. */
  readonly equal: boolean;
  /** Entries of the change log that wait for a reader, because of which `unjudged` can't be told from differences. */
  readonly pending: number;
  /** Documents that differ and are waited for in the change log, or that changed at each look. */
  readonly unjudged: number;
  /** Those of them that changed at each look, as many as are held. */
  readonly changingKeys: readonly string[];
  /**
   * Once what waits in the change log has been applied, the index is what the tables say: what waits will be read again
   * and written with a version above all that the index holds, so it needs no comparison.
   */
  readonly proven: boolean;
  readonly seconds: number;
}

/**
 * Compares a generation with the tables. Changes neither, but for this: where following was halted and nothing differs
 * but what the change log is going to bring, it may go on. Throws `ClusterRequestError`, what Postgres says, or the
 * signal's reason.
 */
export async function verifyGeneration(
  deps: VerifyDeps,
  generation: Generation,
  options: VerifyOptions,
): Promise<VerifyReport> {
  const { pool, cluster, nowMs } = deps;
  const startMs = nowMs();
  const config = deps.config.verify;
  const { signal, onProgress, stopAfter = config.differencesAtMost } = options;
  const { deep } = options;
  const halt = await readHalt(pool, generation.id);
  if (halt !== undefined) await adoptMarker(deps, generation);
  const isFollowed = halt === undefined && options.unfollowed !== true;
  const context: VerifyContext = { pool, cluster, config, nowMs, generation, deep, isFollowed, signal };
  await refreshIndex(context);
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

/** What was compared before a halt says nothing: a side may have gone back since. */
async function refuseHaltedSince(pool: pg.Pool, generation: Generation, before: Halt | undefined): Promise<void> {
  const now = await readHalt(pool, generation.id);
  if (now === undefined || now.position === before?.position) return;
  throw new HaltedMeanwhileError(generation);
}

class HaltedMeanwhileError extends IndexerError {
  constructor({ indexName }: Generation) {
    super(`Following ${indexName} was halted while it was compared, so nothing is known of it. Run the command again.`);
  }
}

function isProven(
  found: Pick<VerifyReport, 'complete' | 'differences'> & { readonly changing: number },
  rejected: ReadonlySet<number> = new Set(),
): boolean {
  const { complete, differences, changing } = found;
  return complete && changing === 0 && differences.every(({ key }) => rejected.has(entityIdOf(key) ?? 0));
}
