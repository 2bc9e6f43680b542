// States of a whole index, which Elasticsearch reports with each document that it refuses. The documents are not at
// fault, so none becomes a dead letter.

export interface ElasticsearchError {
  readonly type: string;
  readonly reason?: string | null | undefined;
}

export type IndexState = 'closed' | 'blocked' | 'forbidden' | 'unavailable' | 'ambiguous' | 'no-pipeline';

const byType: Readonly<Record<string, IndexState>> = {
  index_closed_exception: 'closed',
  cluster_block_exception: 'blocked',
  security_exception: 'forbidden',
  unavailable_shards_exception: 'unavailable',
  no_shard_available_action_exception: 'unavailable',
  index_primary_shard_not_allocated_exception: 'unavailable',
};

/**
 * Returns the state that keeps an index from accepting any document; undefined if the error is about this document.
 * Pure.
 */
export function indexStateOf({ type, reason }: ElasticsearchError, status: number): IndexState | undefined {
  if (type === 'illegal_argument_exception') {
    if (reason?.startsWith('no write index is defined')) return 'ambiguous';
    if (/^pipeline with id \[.*\] does not exist/.test(reason ?? '')) return 'no-pipeline';
  }
  // An index has its own block for a moment before it is closed.
  if (reason?.includes('preparing to close')) return 'closed';
  return byType[type] ?? (status === 401 || status === 403 ? 'forbidden' : undefined);
}

/** Returns the problem of an index, and the remedy. */
export function describeIndexState(index: string, state: IndexState, reason: string): string {
  switch (state) {
    case 'closed':
      return `${index} is closed. Open it: POST /${index}/_open`;
    case 'blocked':
      return `${index} is blocked: ${reason} If a disk was full, make room; otherwise: PUT /${index}/_settings {"index.blocks.write":null,"index.blocks.read_only":null}`;
    case 'forbidden':
      return `Elasticsearch does not allow this user to write to ${index}: ${reason} Give the user or API key the index privilege "write" (docs/reference/elasticsearch.md).`;
    case 'unavailable':
      return `A shard of ${index} is not up: ${reason} See why: GET /_cluster/allocation/explain`;
    case 'ambiguous':
      return `The alias that ${index} is written through names several indices: ${reason} Point it at ${index} only: POST /_aliases`;
    case 'no-pipeline':
      return `${index} has an ingest pipeline that does not exist: ${reason} Remove it: PUT /${index}/_settings {"index.default_pipeline":null,"index.final_pipeline":null}`;
    default:
      throw new Error(`Unknown state of an index: ${state satisfies never}`);
  }
}
