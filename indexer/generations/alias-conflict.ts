import type pg from 'pg';
import { z } from 'zod';
import { type Cluster, deleteIndex, readAlias, requestCluster } from '../../src/elasticsearch/admin.ts';
import { aliasName } from '../../src/kinds/index-names.ts';
import type { KindName } from '../../src/kinds/kind.ts';
import { version } from '../../src/lib/service-description.ts';
import { listMigrations } from '../../src/schema/migrations.ts';
import { IndexerError, RefusedError } from '../errors.ts';
import type { IndexContext } from './alias-state.ts';

// The origin of an index is the database and the release that created it. It is in the `_meta` of the index's mapping,
// next to the values that decide its hash. It is checked before an alias moves away from the index, before documents are
// written, and before an index is deleted.

const originSchema = z.object({
  owner: z.string(),
  /** The number of migrations of that release; a later release has as many or more. */
  migrations: z.int(),
  version: z.string(),
});
export type IndexOrigin = z.infer<typeof originSchema>;

/** Returns the origin of the indices that this release creates from this database. */
export async function currentOrigin(pool: pg.Pool): Promise<IndexOrigin> {
  const { rows } = await pool.query<{ owner: string }>('select id::text as owner from search_owner');
  const [row] = rows;
  if (row === undefined)
    throw new IndexerError('The table search_owner is empty. Run: insert into search_owner default values');
  return { owner: row.owner, migrations: listMigrations().length, version };
}

const mappingAnswer = z.record(
  z.string(),
  z.object({ mappings: z.object({ _meta: z.looseObject({ origin: originSchema.optional() }).optional() }) }),
);

/** Returns undefined for an index that is missing, or that this program did not create. */
export async function originOf(cluster: Cluster, index: string): Promise<IndexOrigin | undefined> {
  const body = await requestCluster(cluster, {
    what: `read the origin of ${index}`,
    method: 'GET',
    path: `/${encodeURIComponent(index)}/_mapping`,
    querystring: { ignore_unavailable: true },
  });
  return mappingAnswer.parse(body)[index]?.mappings._meta?.origin;
}

/** A reason not to move a kind's alias away from its present indices. */
export interface AliasConflict {
  readonly reason: 'owner' | 'release';
  readonly found: string;
}

/**
 * Finds an index that another database created, one unknown to this database, or one created by a later release.
 * Returns undefined if there is none. Rejects with an error of Postgres or `ClusterRequestError`.
 */
export async function findAliasConflict(context: IndexContext, kind: KindName): Promise<AliasConflict | undefined> {
  const { pool, cluster, indexPrefix } = context;
  const own = await currentOrigin(pool);
  for (const index of await readAlias(cluster, aliasName(indexPrefix, kind))) {
    const origin = await originOf(cluster, index);
    const conflict = findOriginConflict(index, own, origin);
    if (conflict !== undefined) return conflict;
  }
  return undefined;
}

function findOriginConflict(
  index: string,
  own: IndexOrigin,
  origin: IndexOrigin | undefined,
): AliasConflict | undefined {
  if (origin === undefined) {
    return { reason: 'owner', found: `The index ${index} was not built from this database.` };
  }
  if (origin.owner !== own.owner) {
    return { reason: 'owner', found: `The index ${index} was built from another database (${origin.owner}).` };
  }
  if (compareReleases(origin, own) <= 0) return undefined;
  const made = `version ${origin.version} with ${origin.migrations} migrations`;
  return { reason: 'release', found: `${index} was built by a newer release (${made}) than this one.` };
}

/** Returns a number below 0 if the first is older. */
function compareReleases(one: IndexOrigin, other: IndexOrigin): number {
  const parts = ({ migrations, version }: IndexOrigin): readonly number[] => [
    migrations,
    ...version.split(/[.-]/).map(Number),
  ];
  const [first, second] = [parts(one), parts(other)];
  const at = first.findIndex((part, place) => part !== second[place]);
  return at === -1 ? 0 : (first[at] ?? 0) - (second[at] ?? 0);
}

const remedies = {
  owner:
    'Correct INDEX_PREFIX or ELASTICSEARCH_URL; or take over the alias with: entity-search reindex KIND --take-over',
  release: 'Run the newer release; or go back with: entity-search reindex KIND --take-over',
} as const satisfies Record<AliasConflict['reason'], string>;

export function conflictRemedy({ reason }: AliasConflict, kind: KindName): string {
  return remedies[reason].replace('KIND', kind);
}

/** The alias or index belongs to another database. */
export class ForeignOwnerError extends RefusedError {
  constructor(conflict: AliasConflict, kind: KindName) {
    super(`${conflict.found} ${conflictRemedy(conflict, kind)}`);
  }
}

/** Throws `ForeignOwnerError` if an alias names another database's index. For every program that writes documents. */
export async function refuseForeignOwner(context: IndexContext, kinds: readonly KindName[]): Promise<void> {
  for (const kind of kinds) {
    const conflict = await findAliasConflict(context, kind);
    if (conflict?.reason === 'owner') throw new ForeignOwnerError(conflict, kind);
  }
}

/** Throws `ForeignOwnerError` unless this database created the index. */
export async function refuseForeignIndex(
  { pool, cluster }: Pick<IndexContext, 'pool' | 'cluster'>,
  { kind, indexName }: { readonly kind: KindName; readonly indexName: string },
): Promise<void> {
  const conflict = findOriginConflict(indexName, await currentOrigin(pool), await originOf(cluster, indexName));
  if (conflict?.reason === 'owner') throw new ForeignOwnerError(conflict, kind);
}

/** Deletes a generation's index, unless another database created it. Returns false if the kind's alias names it. */
export async function deleteOwnIndex(
  { pool, cluster, indexPrefix }: IndexContext,
  kind: KindName,
  index: string,
): Promise<boolean> {
  const [own, origin] = [await currentOrigin(pool), await originOf(cluster, index)];
  if (origin !== undefined && origin.owner !== own.owner) return true;
  return deleteIndex(cluster, aliasName(indexPrefix, kind), index);
}
