import { z } from 'zod';
import { askWithRetries, reasonText } from '../../src/elasticsearch/admin.ts';
import type { ElasticsearchFailure, ElasticsearchRequest } from '../../src/elasticsearch/client.ts';
import { markerIndexName } from '../../src/kinds/index-names.ts';
import type { IndexContext } from '../generations/alias-state.ts';
import { flushWal } from '../read/flush-wal.ts';
import { raiseVersions } from './halts.ts';
import type { FollowedGeneration } from './positions.ts';

// Detects that Postgres has gone back without a sign. If a storage snapshot is restored, the system identifier and the
// timeline stay the same, and once writers have continued, no position lies in the future either. So after rows were
// read, and before their documents are sent, a number is incremented in Postgres, flushed, and then written to
// Elasticsearch. A state of the database that has the number has those rows. A higher number in Elasticsearch was
// counted by a state of the database that is lost. A crash between the two steps leaves it lower, which is harmless.

type MarkerDeps = Pick<IndexContext, 'pool' | 'cluster'>;

/** Elasticsearch did not return its marker, or did not accept a new one. */
class MarkerError extends Error {
  constructor(index: string, failure: ElasticsearchFailure) {
    const next = failure.status === 403 ? '' : ' A lost index may be deleted: it is created again.';
    super(`Elasticsearch can't write to ${index} now: ${reasonText(failure)}.${next}`, { cause: failure.cause });
    this.name = 'MarkerError';
  }
}

const stored = z.object({ _source: z.object({ marker: z.int(), drawn: z.number().default(0) }) });

/** The marker as stored in Elasticsearch. */
interface Told {
  readonly marker: number;
  readonly drawn: number;
}

/** More versions than are drawn between two increments. */
const drawnBetween = 2 ** 20;

interface OwnMarker extends Told {
  readonly markerId: string;
}

/** Returns true if Elasticsearch has a number that this database has not counted. */
export async function isBehindMarker(deps: MarkerDeps, generation: FollowedGeneration): Promise<boolean> {
  const own = await readOwn(deps, generation);
  if (own === undefined) return false;
  const { marker: told } = await readTold(deps, generation, own);
  // Read again: another writer to the same index may have counted meanwhile, and Postgres counts first.
  return told > own.marker && told > ((await readOwn(deps, generation))?.marker ?? told);
}

/**
 * Adopts the number in Elasticsearch, and raises versions above all that its writer drew: if the clock was put back, a
 * new epoch is not enough. Only for a halted generation that is compared with the tables after this: the comparison
 * finds all that those writes left behind.
 */
export async function adoptMarker(deps: MarkerDeps, generation: FollowedGeneration): Promise<void> {
  const own = await readOwn(deps, generation);
  if (own === undefined) return;
  const { marker, drawn } = await readTold(deps, generation, own);
  await raiseVersions(deps.pool, drawn + drawnBetween);
  await deps.pool.query(
    'update search_generations set write_marker = $2 where id = $1 and halted is not null and write_marker < $2',
    [generation.id, marker],
  );
}

async function readOwn({ pool }: MarkerDeps, { id }: FollowedGeneration): Promise<OwnMarker | undefined> {
  const { rows } = await pool.query<OwnMarker>(
    `select write_marker as marker, marker_id as "markerId", (select last_value from search_versions) as drawn
     from search_generations where id = $1`,
    [id],
  );
  return rows[0];
}

/** Returns the highest number in Elasticsearch with its data; 0 if there is none. */
async function readTold(
  deps: MarkerDeps,
  { indexName, kind }: FollowedGeneration,
  { markerId }: OwnMarker,
): Promise<Told> {
  const index = markerIndexName(indexName, kind);
  const answer = await askWithRetries(deps.cluster, { method: 'GET', path: pathOf(index, markerId) });
  if (answer.ok) return stored.parse(answer.body)._source;
  if (answer.status === 404) {
    await createMarkerIndex(deps, { indexName, kind });
    return { marker: 0, drawn: 0 };
  }
  throw new MarkerError(index, answer);
}

/**
 * Increments the number on both sides. Must be called before documents are sent, and after the snapshot that they are
 * read from. Returns true if Elasticsearch has a number that this database has not counted: another state of it also
 * writes.
 */
export async function advanceMarker(deps: MarkerDeps, generation: FollowedGeneration): Promise<boolean> {
  const { rows } = await deps.pool.query<OwnMarker>({
    name: 'advance-marker',
    text: `update search_generations set write_marker = write_marker + 1 where id = $1
           returning write_marker as marker, marker_id as "markerId",
                     (select last_value from search_versions) as drawn`,
    values: [generation.id],
  });
  const [own] = rows;
  if (own === undefined) return false;
  // If commits are asynchronous, a crash must not lose a number that Elasticsearch has.
  await flushWal(deps.pool);
  let told = await tell(deps, generation, own);
  if (told === 'missing') {
    await createMarkerIndex(deps, generation);
    told = await tell(deps, generation, own);
  }
  return told === 'higher' && isBehindMarker(deps, generation);
}

/** Missing: the index of markers does not exist. Higher: it already has a higher number. */
async function tell(
  deps: MarkerDeps,
  { indexName, kind }: FollowedGeneration,
  { marker, drawn, markerId }: OwnMarker,
): Promise<'told' | 'missing' | 'higher'> {
  const index = markerIndexName(indexName, kind);
  const put: ElasticsearchRequest = {
    method: 'PUT',
    path: pathOf(index, markerId),
    querystring: { version: marker, version_type: 'external_gte' },
    body: { marker, drawn, generation: indexName },
  };
  const answer = await askWithRetries(deps.cluster, put);
  if (answer.ok) return 'told';
  if (answer.status === 409) return 'higher';
  if (answer.status === 404) return 'missing';
  throw new MarkerError(index, answer);
}

function pathOf(index: string, id: string): string {
  return `/${encodeURIComponent(index)}/_doc/${encodeURIComponent(id)}`;
}

async function createMarkerIndex(deps: MarkerDeps, generation: Omit<FollowedGeneration, 'id'>): Promise<void> {
  const index = markerIndexName(generation.indexName, generation.kind);
  const create: ElasticsearchRequest = {
    method: 'PUT',
    path: `/${encodeURIComponent(index)}`,
    body: {
      settings: { number_of_shards: 1, auto_expand_replicas: '0-1', hidden: true },
      mappings: {
        dynamic: 'strict',
        properties: { marker: { type: 'long' }, drawn: { type: 'long' }, generation: { type: 'keyword' } },
      },
    },
  };
  const answer = await askWithRetries(deps.cluster, create);
  const exists = String(answer.ok ? '' : answer.cause).includes('resource_already_exists_exception');
  if (!answer.ok && !exists) throw new MarkerError(index, answer);
}
