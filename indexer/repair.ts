import { writeAliasName } from '../src/index-names.ts';
import { haltStrangers } from './epoch.ts';
import { type PartCounts, type PartDeps, writePart } from './parts.ts';
import { must } from './reindex-actions.ts';
import { type VerifyDeps, type VerifyReport, verifyGeneration } from './verify.ts';
import { entityOf } from './verify-look.ts';
import type { StoredGeneration } from './verify-target.ts';

export interface RepairDeps extends VerifyDeps, PartDeps {
  readonly config: VerifyDeps['config'] & PartDeps['config'];
  readonly onRepaired: (done: number, total: number) => void;
}

export interface RepairReport extends PartCounts {
  readonly found: VerifyReport;
  /** The verification after it; undefined where nothing had to be done. */
  readonly after: VerifyReport | undefined;
}

/**
 * Verifies a generation, brings exactly what differed to what the tables say, and verifies again. Takes no lock and
 * may run beside a reader of the change log: versions keep the later state.
 */
export async function repairGeneration(
  deps: RepairDeps,
  generation: StoredGeneration,
  options: { readonly deep: boolean; readonly signal: AbortSignal },
): Promise<RepairReport> {
  // After a restore the position means nothing: the comparison would wait for it, and what it proves would be undone.
  await haltStrangers(deps.pool);
  const found = await verifyGeneration(deps, generation, options);
  const none: PartCounts = { written: 0, deleted: 0, deadLetters: 0 };
  if (found.differences.length === 0) return { ...none, found, after: undefined };
  await raiseVersions(deps, Math.max(...found.differences.map(({ version }) => version)));
  const ids = found.differences.flatMap(({ key }) => entityOf(key) ?? []);
  const strays = found.differences.map(({ key }) => key).filter((key) => entityOf(key) === undefined);
  const counts = await writePart(deps, generation, ids, {
    signal: options.signal,
    onProgress: (done) => deps.onRepaired(done, ids.length),
  });
  await removeStrays(deps, generation, strays);
  const after = await verifyGeneration(deps, generation, options);
  return { ...counts, deleted: counts.deleted + strays.length, found, after };
}

/** Somebody wrote versions that were never drawn here; what we write has to be above them, or it is refused as older. */
async function raiseVersions({ pool }: RepairDeps, highest: number): Promise<void> {
  if (!Number.isSafeInteger(highest + 1)) {
    throw new Error('The index holds versions beyond all that can be drawn. Run: entity-search reindex');
  }
  await pool.query(
    `select setval('search_versions', $1::bigint) where (select last_value from search_versions) < $1::bigint`,
    [highest],
  );
}

/** Documents with an `_id` that no entity has: no reader writes them, so they need no version. */
async function removeStrays(
  { cluster }: RepairDeps,
  generation: StoredGeneration,
  keys: readonly string[],
): Promise<void> {
  if (keys.length === 0) return;
  const lines = keys.map((key) => JSON.stringify({ delete: { _id: key } }));
  await must(cluster, {
    what: `delete documents of ${generation.indexName}`,
    method: 'POST',
    path: `/${encodeURIComponent(writeAliasName(generation.indexName))}/_bulk`,
    querystring: { require_alias: true, filter_path: 'errors' },
    bulkBody: Buffer.from(`${lines.join('\n')}\n`),
  });
}
