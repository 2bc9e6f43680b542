import { askCluster, type Cluster, readIndexSize, reasonText, refreshIndex } from '../../src/elasticsearch/admin.ts';

/**
 * A search reads every segment of an index, so few segments are fast: for 196,000 companies, two instead of the eight
 * that a load leaves halved the time of a search by name (docs/performance.md). Elasticsearch searches several at the
 * same time, 50,000 documents and more each, so large indices keep some.
 */
const documentsPerSegment = 100_000;
const parallelSegmentsMax = 4;
/** Elasticsearch's own merges skip segments above 5 GB, including their deleted documents. */
const segmentBytesMax = 2 * 1_024 ** 3;

/** Returns the best number of segments for an index of this size; at least 1. */
export function segmentsFor(documents: number, bytes: number): number {
  const inParallel = Math.min(parallelSegmentsMax, Math.round(documents / documentsPerSegment));
  return Math.max(1, inParallel, Math.ceil(bytes / segmentBytesMax));
}

/**
 * Merges the segments of a loaded index into as few as serve searches best. Returns null when that is done, otherwise
 * the reason. A missing merge costs only speed, and after a timeout Elasticsearch continues it. Throws
 * `ClusterRequestError` if the size of the index could not be read.
 */
export async function mergeSegments(cluster: Cluster, index: string, signal: AbortSignal): Promise<string | null> {
  await refreshIndex(cluster, index);
  const { documents, bytes } = await readIndexSize(cluster, index);
  const maxSegments = segmentsFor(documents ?? 0, bytes ?? 0);
  const forcemerge = {
    method: 'POST',
    path: `/${encodeURIComponent(index)}/_forcemerge`,
    querystring: { max_num_segments: maxSegments },
  } as const;
  const answer = await askCluster(cluster, forcemerge, signal);
  if (answer.ok) return null;
  return answer.reason === 'timeout' ? 'merging continues in Elasticsearch' : reasonText(answer);
}
