import type { Client } from '@elastic/elasticsearch';
import type pg from 'pg';
import { z } from 'zod';
import { ask, type ElasticsearchFailure, type ElasticsearchRequest } from '../../src/clients/elasticsearch.ts';
import { markerIndexName } from '../../src/index-names.ts';
import type { KindName } from '../../src/kinds/kind.ts';
import { flushSql } from '../rows.ts';

// Whether Postgres has gone back without a sign: a storage snapshot that was put back keeps the system identifier and
// the timeline, and once writers have gone on, no position lies in the future either. So before anything is written to
// an index, a number is counted up in Postgres, made durable there, and then told to Elasticsearch. A number that is
// higher in Elasticsearch was counted by a state of the database that is no more. A crash between the two steps leaves it
// lower, which means nothing.

export interface MarkedGeneration {
  readonly id: number;
  readonly kind: KindName;
  readonly indexName: string;
}

export interface MarkerDeps {
  readonly pool: pg.Pool;
  readonly client: Client;
  readonly timeoutMs: number;
}

/** Elasticsearch did not say what its marker is, or did not take a new one. */
class MarkerError extends Error {
  constructor(index: string, { reason, status, cause }: ElasticsearchFailure) {
    const hint =
      status === 403 ? ' The role of the indexer needs the index in ops/elasticsearch/role-writer.json.' : '';
    const answered = status === undefined ? '' : ` (status ${status})`;
    super(`Elasticsearch can't write to ${index} now: ${reason}${answered}.${hint}`, { cause });
    this.name = 'MarkerError';
  }
}

const stored = z.object({ _source: z.object({ marker: z.int() }) });

interface OwnMarker {
  readonly marker: number;
  readonly markerId: string;
}

/** Whether Elasticsearch was told a number that this database has not counted. */
export async function isBehindMarker(deps: MarkerDeps, generation: MarkedGeneration): Promise<boolean> {
  const own = await readOwn(deps, generation);
  return own !== undefined && (await readTold(deps, generation, own)) > own.marker;
}

/**
 * Takes over what Elasticsearch knows. Only for a halted generation that is compared with the tables after this: the
 * comparison finds whatever those writes left behind.
 */
export async function adoptMarker(deps: MarkerDeps, generation: MarkedGeneration): Promise<void> {
  const own = await readOwn(deps, generation);
  if (own === undefined) return;
  await deps.pool.query(
    'update search_generations set write_marker = $2 where id = $1 and halted is not null and write_marker < $2',
    [generation.id, await readTold(deps, generation, own)],
  );
}

async function readOwn({ pool }: MarkerDeps, { id }: MarkedGeneration): Promise<OwnMarker | undefined> {
  const { rows } = await pool.query<OwnMarker>(
    'select write_marker as marker, marker_id as "markerId" from search_generations where id = $1',
    [id],
  );
  return rows[0];
}

/** The highest number that Elasticsearch was told; 0 where it knows of none. */
async function readTold(
  deps: MarkerDeps,
  { indexName, kind }: MarkedGeneration,
  { markerId }: OwnMarker,
): Promise<number> {
  const index = markerIndexName(indexName, kind);
  const answer = await ask(deps.client, { method: 'GET', path: pathOf(index, markerId) }, deps);
  if (answer.ok) return stored.parse(answer.body)._source.marker;
  if (answer.status === 404) return 0;
  throw new MarkerError(index, answer);
}

/** Counts up on both sides. To be called before documents are sent, and after the snapshot that they are read for. */
export async function advanceMarker(deps: MarkerDeps, generation: MarkedGeneration): Promise<void> {
  const { rows } = await deps.pool.query<OwnMarker>({
    name: 'advance-marker',
    text: `update search_generations set write_marker = write_marker + 1 where id = $1
           returning write_marker as marker, marker_id as "markerId"`,
    values: [generation.id],
  });
  const [own] = rows;
  if (own === undefined) return;
  // Where commits are asynchronous, a crash must not forget what Elasticsearch knows.
  await deps.pool.query(flushSql);
  const isTold = await tell(deps, generation, own);
  if (isTold) return;
  await createMarkerIndex(deps, generation);
  await tell(deps, generation, own);
}

/** False where the index of the markers is missing. */
async function tell(
  deps: MarkerDeps,
  { indexName, kind }: MarkedGeneration,
  { marker, markerId }: OwnMarker,
): Promise<boolean> {
  const index = markerIndexName(indexName, kind);
  const put: ElasticsearchRequest = {
    method: 'PUT',
    path: pathOf(index, markerId),
    querystring: { version: marker, version_type: 'external_gte' },
    body: { marker, generation: indexName },
  };
  const answer = await ask(deps.client, put, deps);
  // Two writers count at the same time: the higher number is what counts.
  if (answer.ok || answer.status === 409) return true;
  if (answer.status === 404) return false;
  throw new MarkerError(index, answer);
}

function pathOf(index: string, id: string): string {
  return `/${encodeURIComponent(index)}/_doc/${encodeURIComponent(id)}`;
}

async function createMarkerIndex(deps: Omit<MarkerDeps, 'pool'>, generation: MarkedGeneration): Promise<void> {
  const index = markerIndexName(generation.indexName, generation.kind);
  const create: ElasticsearchRequest = {
    method: 'PUT',
    path: `/${encodeURIComponent(index)}`,
    body: {
      settings: { number_of_shards: 1, auto_expand_replicas: '0-1', hidden: true },
      mappings: { dynamic: 'strict', properties: { marker: { type: 'long' }, generation: { type: 'keyword' } } },
    },
  };
  const answer = await ask(deps.client, create, deps);
  const exists = String(answer.ok ? '' : answer.cause).includes('resource_already_exists_exception');
  if (!answer.ok && !exists) throw new MarkerError(index, answer);
}
