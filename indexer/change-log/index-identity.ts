import { z } from 'zod';
import { askCluster, type Cluster, reasonText } from '../../src/elasticsearch/admin.ts';

// Elasticsearch remembers deletions in memory. A copy of an index that was restarted or moved has forgotten them, so a
// late request can restore a deleted document.

const copy = z.object({
  primary: z.boolean(),
  node: z.string().nullish(),
  allocation_id: z.object({ id: z.string() }).nullish(),
});
const clusterState = z.object({
  nodes: z.record(z.string(), z.object({ ephemeral_id: z.string() })),
  metadata: z.object({
    indices: z.record(
      z.string(),
      z.object({ state: z.string().optional(), primary_terms: z.record(z.string(), z.number()) }),
    ),
  }),
  routing_table: z.object({
    indices: z.record(z.string(), z.object({ shards: z.record(z.string(), z.array(copy)) })),
  }),
});

const filterPath = [
  'nodes.*.ephemeral_id',
  'metadata.indices.*.primary_terms',
  'metadata.indices.*.state',
  ...['primary', 'node', 'allocation_id.id'].map((field) => `routing_table.indices.*.shards.*.${field}`),
].join(',');

/** The copies of an index that take writes, or why they are unknown. */
export type IndexIdentity =
  | { readonly kind: 'known'; readonly identity: string }
  | { readonly kind: 'gone' }
  | { readonly kind: 'unknown'; readonly why: string };

/**
 * Returns one text that identifies the copies of an index that take its writes. A changed text means that they may have
 * forgotten deletions (another process, another copy, or a new term because a copy failed in between).
 */
export async function readIndexIdentity(cluster: Cluster, index: string): Promise<IndexIdentity> {
  const answer = await askCluster(cluster, {
    method: 'GET',
    path: `/_cluster/state/nodes,metadata,routing_table/${encodeURIComponent(index)}`,
    querystring: { filter_path: filterPath },
  });
  if (!answer.ok) {
    if (answer.status === 404) return { kind: 'gone' };
    return { kind: 'unknown', why: reasonText(answer) };
  }
  const parsed = clusterState.safeParse(answer.body);
  const shards = parsed.data?.routing_table.indices[index]?.shards;
  const terms = parsed.data?.metadata.indices[index]?.primary_terms;
  if (parsed.data === undefined || shards === undefined || terms === undefined) {
    // The cluster state leaves out a missing index, and every index while the cluster starts.
    if (await isGone(cluster, index)) return { kind: 'gone' };
    return { kind: 'unknown', why: 'its answer was invalid' };
  }
  // A closed index has its shards up, but accepts no writes.
  if (parsed.data.metadata.indices[index]?.state === 'close') {
    return { kind: 'unknown', why: `it is closed (open it with POST /${index}/_open)` };
  }
  const parts: string[] = [];
  for (const [shard, copies] of Object.entries(shards)) {
    const primary = copies.find((one) => one.primary);
    const process = parsed.data.nodes[primary?.node ?? '']?.ephemeral_id;
    if (process === undefined) return { kind: 'unknown', why: `shard ${shard} is not up` };
    parts.push(`${shard}:${terms[shard]}:${primary?.allocation_id?.id}:${process}`);
  }
  return { kind: 'known', identity: parts.sort().join(' ') };
}

/** Queries the index itself, because a cluster that is starting refuses to answer for it. */
async function isGone(cluster: Cluster, index: string): Promise<boolean> {
  const path = `/${encodeURIComponent(index)}/_settings`;
  const querystring = { filter_path: '*.settings.index.uuid' };
  const answer = await askCluster(cluster, { method: 'GET', path, querystring });
  return !answer.ok && answer.status === 404;
}

const shardStats = z.object({
  indices: z.record(
    z.string(),
    z.object({
      uuid: z.string(),
      shards: z.record(
        z.string(),
        z.array(
          z.object({
            routing: z.object({ primary: z.boolean() }),
            commit: z.object({ user_data: z.object({ history_uuid: z.string() }) }),
          }),
        ),
      ),
    }),
  ),
});

const historyFilter = ['uuid', 'shards.*.routing.primary', 'shards.*.commit.user_data.history_uuid']
  .map((field) => `indices.*.${field}`)
  .join(',');

/**
 * Returns one text that identifies the origin of an index's documents: its own identity and the history of each shard.
 * Both outlive restarts and moves of shards. The text changes if the index was deleted and restored or created again,
 * if a snapshot was restored over it, or if a stale copy became primary.
 */
export async function readIndexHistory(cluster: Cluster, index: string): Promise<IndexIdentity> {
  const answer = await askCluster(cluster, {
    method: 'GET',
    path: `/${encodeURIComponent(index)}/_stats/docs`,
    querystring: { level: 'shards', filter_path: historyFilter },
  });
  if (!answer.ok) {
    if (answer.status === 404) return { kind: 'gone' };
    return { kind: 'unknown', why: reasonText(answer) };
  }
  const found = shardStats.safeParse(answer.body).data?.indices[index];
  if (found === undefined) return { kind: 'unknown', why: 'its shards are not up' };
  const shards = Object.entries(found.shards).map(([shard, copies]) => {
    const primary = copies.find(({ routing }) => routing.primary);
    return `${shard}:${primary?.commit.user_data.history_uuid ?? ''}`;
  });
  if (shards.some((shard) => shard.endsWith(':'))) return { kind: 'unknown', why: 'a primary shard is not up' };
  return { kind: 'known', identity: `${found.uuid} ${shards.sort().join(' ')}` };
}
