import { requestCluster } from '../../src/elasticsearch/admin.ts';
import { writeAliasName } from '../../src/kinds/index-names.ts';
import { haltBehindMarker, haltForeignGenerations, raiseVersions, readHalt } from '../change-log/halts.ts';
import { isBehindMarker } from '../change-log/write-marker.ts';
import { clearEqualLetters, idsWithDeadLetters } from '../dead-letters/dead-letters.ts';
import type { Generation } from '../generations/generations.ts';
import type { VerifyLimits } from '../limits.ts';
import { firstForeignVersion, lastVersion } from '../read/versions.ts';
import { appendLostRemovals } from '../resolver/resolving.ts';
import { addCounts, noCounts, rewriteDocuments, type WriteCounts } from '../write/rewrite-documents.ts';
import type { WriteContext, WriteLimits } from '../write/write-context.ts';
import { type Difference, entityIdOf, entityIdsOf } from './differences.ts';
import { type VerifyOptions, type VerifyReport, verifyGeneration } from './verify.ts';

export type RepairContext = WriteContext<WriteLimits & { readonly verify: VerifyLimits }>;

export interface RepairOptions extends Pick<VerifyOptions, 'deep' | 'signal' | 'onProgress' | 'unfollowed'> {
  /** For an unattended repair: with more differences than these, no document is written. */
  readonly documentsAtMost?: number;
  readonly onRepaired?: (done: number) => void;
}

export interface RepairReport extends WriteCounts {
  /** The differences found at first. */
  readonly found: VerifyReport;
  /** Documents that differed, over all passes. */
  readonly differed: number;
  /** The verification after it; undefined if no repair was needed, or too many differ. */
  readonly after: VerifyReport | undefined;
  /** More differ than `documentsAtMost`. */
  readonly beyondBounds: boolean;
}

/**
 * Verifies a generation, writes exactly the documents that differ from the tables, and verifies again. If more differ
 * than are held, it makes several passes. Takes no lock and may run next to a reader of the change log: versions keep
 * the later state. Removes dead letters of documents that equal their rows again.
 */
export async function repairGeneration(
  context: RepairContext,
  generation: Generation,
  options: RepairOptions,
): Promise<RepairReport> {
  const { pool } = context;
  // After a restore the position is invalid: the comparison would wait for it, and its result would be reverted.
  await haltForeignGenerations(pool);
  // Also if only Elasticsearch shows that this database has gone back.
  const halted = (await readHalt(pool, generation.id)) !== undefined;
  if (!halted && (await isBehindMarker(context, generation))) await haltBehindMarker(pool, generation.id);
  const { documentsAtMost = Number.POSITIVE_INFINITY } = options;
  const verified = {
    ...options,
    ...(documentsAtMost < Number.POSITIVE_INFINITY && { stopAfter: documentsAtMost + 1 }),
  };
  const upTo = await lastVersion(pool);
  const found = await verifyGeneration(context, generation, verified);
  let report = found;
  let differed = found.differences.length;
  let total = noCounts;
  for (let isLast = differed === 0; !isLast && differed <= documentsAtMost; ) {
    const { rejected, ...counts } = await repairDifferences(context, generation, report.differences, options);
    const isProgress = counts.written + counts.superseded + counts.deleted > 0;
    total = addCounts(total, counts);
    const wasComplete = report.complete;
    report = await verifyGeneration(context, generation, { ...verified, rejected });
    isLast = wasComplete || report.differences.length === 0 || !isProgress;
    if (!isLast) differed += report.differences.length;
  }
  if (report.complete && report.unjudged === 0) {
    await clearEqualLetters(pool, generation.id, upTo, entityIdsOf(report.differences));
  }
  const after = report === found ? undefined : report;
  return { ...total, differed, found, after, beyondBounds: differed > documentsAtMost };
}

async function repairDifferences(
  context: RepairContext,
  generation: Generation,
  differences: readonly Difference[],
  { signal, onRepaired }: RepairOptions,
): Promise<WriteCounts & { readonly rejected: ReadonlySet<number> }> {
  const { pool } = context;
  await raiseVersions(pool, highestOf(differences));
  const ids = entityIdsOf(differences);
  const strays = differences.map(({ key }) => key).filter((key) => entityIdOf(key) === undefined);
  const counts = await rewriteDocuments(context, generation, ids, { signal, onProgress: onRepaired });
  await removeStrays(context, generation, strays);
  // After the deletion: a program that lists entities before it reads removals would find them once more.
  const lost = differences.filter(({ kind }) => kind === 'extra');
  await appendLostRemovals(pool, generation.kind, entityIdsOf(lost));
  // Elasticsearch was just given these documents.
  const rejected = await idsWithDeadLetters(pool, generation.id, ids);
  return { ...counts, deleted: counts.deleted + strays.length, rejected };
}

/**
 * Returns the highest version that ours can be raised above. In a loop: there may be more than a call accepts
 * arguments.
 */
function highestOf(differences: readonly Difference[]): number {
  let highest = 0;
  for (const { version } of differences) if (version < firstForeignVersion) highest = Math.max(highest, version);
  return highest;
}

/** Removes documents with an `_id` that no entity has: no reader writes them, so they need no version. */
async function removeStrays(
  { cluster }: RepairContext,
  generation: Generation,
  keys: readonly string[],
): Promise<void> {
  if (keys.length === 0) return;
  const lines = keys.map((key) => JSON.stringify({ delete: { _id: key } }));
  await requestCluster(cluster, {
    what: `delete documents of ${generation.indexName}`,
    method: 'POST',
    path: `/${encodeURIComponent(writeAliasName(generation.indexName))}/_bulk`,
    querystring: { require_alias: true, filter_path: 'errors' },
    bulkBody: Buffer.from(`${lines.join('\n')}\n`),
  });
}
