import { requestCluster } from '../../src/elasticsearch/admin.ts';
import { writeAliasName } from '../../src/kinds/index-names.ts';
import { sleep } from '../../src/lib/sleep.ts';
import { haltBehindMarker, haltForeignGenerations, raiseVersions, readHalt } from '../change-log/halts.ts';
import { isBehindMarker, type MarkerDeps } from '../change-log/write-marker.ts';
import type { StoredGeneration } from '../generations/stored-generation.ts';
import {
  addCounts,
  noCounts,
  type PartialReindexDeps,
  reindexIds,
  type WriteCounts,
} from '../write/partial-reindex.ts';
import { foreignVersion } from '../write/rows.ts';
import { type Difference, entityIdOf } from './differences.ts';
import { type VerifyDeps, type VerifyReport, verifyGeneration } from './verify.ts';

export interface RepairDeps extends VerifyDeps, PartialReindexDeps {
  readonly config: VerifyDeps['config'] & PartialReindexDeps['config'];
  readonly onRepaired: (done: number, total: number) => void;
}

/** How much a repair may do that nobody watches. */
export interface RepairBounds {
  /** With more differences than these, nothing is written. */
  readonly documents: number;
  readonly documentsPerSecond: number;
}

export interface RepairOptions {
  readonly deep: boolean;
  readonly signal: AbortSignal;
  /** By default there are none. */
  readonly bounds?: RepairBounds;
  /** Nobody applies the change log of this generation meanwhile. */
  readonly unfollowed?: boolean;
}

export interface RepairReport extends WriteCounts {
  /** What was found at first. */
  readonly found: VerifyReport;
  /** Documents that differed, over all passes. */
  readonly differed: number;
  /** The verification after it; undefined where nothing had to be done, or too much for the bounds. */
  readonly after: VerifyReport | undefined;
}

/** So many documents are written between two looks at the clock. */
const pacedDocuments = 500;

/**
 * Verifies a generation, brings exactly what differed to what the tables say, and verifies again. Where more differs
 * than is held, it does so in several passes. Takes no lock and may run beside a reader of the change log: versions keep
 * the later state.
 */
export async function repairGeneration(
  deps: RepairDeps,
  generation: StoredGeneration,
  options: RepairOptions,
): Promise<RepairReport> {
  // After a restore the position means nothing: the comparison would wait for it, and what it proves would be undone.
  await haltForeignGenerations(deps.pool);
  await haltBehind(deps, generation);
  const { bounds } = options;
  const stopAfter = bounds === undefined ? {} : { stopAfter: bounds.documents + 1 };
  const found = await verifyGeneration(deps, generation, { ...options, ...stopAfter });
  let differed = found.differences.length;
  let total = noCounts;
  const isBeyond = (): boolean => bounds !== undefined && differed > bounds.documents;
  if (differed === 0 || isBeyond()) return { ...total, differed, found, after: undefined };
  for (let report = found; ; ) {
    const { rejected, ...counts } = await mend(deps, generation, report.differences, options);
    const isProgress = counts.written + counts.superseded + counts.deleted > 0;
    total = addCounts(total, counts);
    const wasComplete = report.complete;
    report = await verifyGeneration(deps, generation, { ...options, ...stopAfter, rejected });
    if (wasComplete || report.differences.length === 0 || !isProgress) {
      return { ...total, differed, found, after: report };
    }
    differed += report.differences.length;
    if (isBeyond()) return { ...total, differed, found, after: undefined };
  }
}

/** The same where only Elasticsearch knows that this database has gone back. */
async function haltBehind(deps: RepairDeps, generation: StoredGeneration): Promise<void> {
  const { pool } = deps;
  if ((await readHalt(pool, generation.id)) !== undefined) return;
  if (await isBehindMarker(marking(deps), generation)) await haltBehindMarker(pool, generation.id);
}

function marking({ pool, client, cluster }: RepairDeps): MarkerDeps {
  return { pool, client, timeoutMs: cluster.limits.timeoutMs };
}

interface Mended extends WriteCounts {
  readonly rejected: ReadonlySet<number>;
}

async function mend(
  deps: RepairDeps,
  generation: StoredGeneration,
  differences: readonly Difference[],
  { signal, bounds }: RepairOptions,
): Promise<Mended> {
  const { pool, nowMs } = deps;
  await raiseVersions(pool, highestOf(differences));
  const ids = differences.flatMap(({ key }) => entityIdOf(key) ?? []);
  const strays = differences.map(({ key }) => key).filter((key) => entityIdOf(key) === undefined);
  let total: WriteCounts = { ...noCounts, deleted: strays.length };
  const startMs = nowMs();
  const step = bounds === undefined ? ids.length : pacedDocuments;
  for (let at = 0; at < ids.length; at += step) {
    const onProgress = (done: number): void => deps.onRepaired(at + done, ids.length);
    const counts = await reindexIds(deps, generation, ids.slice(at, at + step), { signal, onProgress });
    total = addCounts(total, counts);
    if (bounds === undefined) continue;
    const earlyMs = ((at + step) / bounds.documentsPerSecond) * 1_000 - (nowMs() - startMs);
    if (earlyMs > 0 && at + step < ids.length) await sleep(earlyMs, signal);
  }
  await removeStrays(deps, generation, strays);
  return { ...total, rejected: await rejectedAmong(deps, generation, ids) };
}

/** The highest version that ours can be raised above. In a loop: there may be more than a call takes arguments. */
function highestOf(differences: readonly Difference[]): number {
  let highest = 0;
  for (const { version } of differences) if (version < foreignVersion) highest = Math.max(highest, version);
  return highest;
}

/** Those that have a dead letter now: Elasticsearch was asked to take them a moment ago. */
async function rejectedAmong(
  { pool }: RepairDeps,
  generation: StoredGeneration,
  ids: readonly number[],
): Promise<ReadonlySet<number>> {
  const { rows } = await pool.query<{ id: number }>(
    'select id from search_dead_letters where generation_id = $1 and id = any($2::bigint[])',
    [generation.id, ids],
  );
  return new Set(rows.map(({ id }) => id));
}

/** Documents with an `_id` that no entity has: no reader writes them, so they need no version. */
async function removeStrays(
  { cluster }: RepairDeps,
  generation: StoredGeneration,
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
