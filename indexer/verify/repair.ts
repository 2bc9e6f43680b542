import { requestCluster } from '../../src/elasticsearch/admin.ts';
import { writeAliasName } from '../../src/kinds/index-names.ts';
import { sleep } from '../../src/lib/sleep.ts';
import { haltBehindMarker, haltForeignGenerations, raiseVersions, readHalt } from '../change-log/halts.ts';
import { isBehindMarker } from '../change-log/write-marker.ts';
import { idsWithDeadLetters } from '../dead-letters/dead-letters.ts';
import type { Generation } from '../generations/generations.ts';
import type { VerifyLimits } from '../limits.ts';
import { firstForeignVersion } from '../read/versions.ts';
import { addCounts, noCounts, rewriteDocuments, type WriteCounts } from '../write/rewrite-documents.ts';
import type { WriteContext, WriteLimits } from '../write/write-context.ts';
import { type Difference, entityIdOf } from './differences.ts';
import { type VerifyOptions, type VerifyReport, verifyGeneration } from './verify.ts';

export type RepairContext = WriteContext<WriteLimits & { readonly verify: VerifyLimits }>;

/** The limit of an unattended repair. */
export interface RepairBounds {
  /** With more differences than these, no document is written. */
  readonly documents: number;
  readonly documentsPerSecond: number;
}

export interface RepairOptions extends Pick<VerifyOptions, 'deep' | 'signal' | 'onProgress' | 'unfollowed'> {
  readonly bounds?: RepairBounds;
  readonly onRepaired?: (done: number, total: number) => void;
}

export interface RepairReport extends WriteCounts {
  /** The differences found at first. */
  readonly found: VerifyReport;
  /** Documents that differed, over all passes. */
  readonly differed: number;
  /** The verification after it; undefined if no repair was needed, or too many for the bounds. */
  readonly after: VerifyReport | undefined;
  readonly beyondBounds: boolean;
}

/** The number of documents written between two checks of the time. */
const pacedDocuments = 500;

/**
 * Verifies a generation, writes exactly the documents that differ from the tables, and verifies again. If more differ
 * than are held, it makes several passes. Takes no lock and may run next to a reader of the change log: versions keep
 * the later state.
 */
export async function repairGeneration(
  context: RepairContext,
  generation: Generation,
  options: RepairOptions,
): Promise<RepairReport> {
  const { pool } = context;
  // After a restore the position is invalid: the comparison would wait for it, and its result would be undone.
  await haltForeignGenerations(pool);
  // Also if only Elasticsearch shows that this database has gone back.
  const halted = (await readHalt(pool, generation.id)) !== undefined;
  if (!halted && (await isBehindMarker(context, generation))) await haltBehindMarker(pool, generation.id);
  const { bounds } = options;
  const stopAfter = bounds === undefined ? {} : { stopAfter: bounds.documents + 1 };
  const found = await verifyGeneration(context, generation, { ...options, ...stopAfter });
  let differed = found.differences.length;
  let total = noCounts;
  const isBeyond = (): boolean => bounds !== undefined && differed > bounds.documents;
  if (differed === 0 || isBeyond()) return { ...total, differed, found, after: undefined, beyondBounds: isBeyond() };
  for (let report = found; ; ) {
    const { rejected, ...counts } = await repairDifferences(context, generation, report.differences, options);
    const isProgress = counts.written + counts.superseded + counts.deleted > 0;
    total = addCounts(total, counts);
    const wasComplete = report.complete;
    report = await verifyGeneration(context, generation, { ...options, ...stopAfter, rejected });
    if (wasComplete || report.differences.length === 0 || !isProgress) {
      return { ...total, differed, found, after: report, beyondBounds: false };
    }
    differed += report.differences.length;
    if (isBeyond()) return { ...total, differed, found, after: undefined, beyondBounds: true };
  }
}

async function repairDifferences(
  context: RepairContext,
  generation: Generation,
  differences: readonly Difference[],
  { signal, bounds, onRepaired }: RepairOptions,
): Promise<WriteCounts & { readonly rejected: ReadonlySet<number> }> {
  const { pool, nowMs } = context;
  await raiseVersions(pool, highestOf(differences));
  const ids = differences.flatMap(({ key }) => entityIdOf(key) ?? []);
  const strays = differences.map(({ key }) => key).filter((key) => entityIdOf(key) === undefined);
  let total: WriteCounts = { ...noCounts, deleted: strays.length };
  const startMs = nowMs();
  const step = bounds === undefined ? ids.length : pacedDocuments;
  for (let at = 0; at < ids.length; at += step) {
    const onProgress = (done: number): void => onRepaired?.(at + done, ids.length);
    const counts = await rewriteDocuments(context, generation, ids.slice(at, at + step), { signal, onProgress });
    total = addCounts(total, counts);
    if (bounds === undefined) continue;
    const earlyMs = ((at + step) / bounds.documentsPerSecond) * 1_000 - (nowMs() - startMs);
    if (earlyMs > 0 && at + step < ids.length) await sleep(earlyMs, signal);
  }
  await removeStrays(context, generation, strays);
  // Elasticsearch was just given these documents.
  return { ...total, rejected: await idsWithDeadLetters(pool, generation.id, ids) };
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
