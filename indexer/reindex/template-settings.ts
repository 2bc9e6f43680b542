import { type Cluster, listClusterIndices, requestCluster } from '../../src/elasticsearch/admin.ts';

// The cluster's own index templates also apply to our indices. Two kinds of settings are removed: a pipeline changes
// documents on their way, so they differ from the tables; a lifecycle rolls over or deletes an index that the alias
// names. Other settings may be intended for all indices (slow logs, tiers).

const harmful = /^index\.(default_pipeline|final_pipeline|lifecycle\..*)$/;

/**
 * Removes harmful settings that an index template gave a new index. Returns a sentence about them, or null if there are
 * none. Idempotent. Throws `ClusterRequestError`.
 */
export async function removeForeignSettings(cluster: Cluster, alias: string, index: string): Promise<string | null> {
  const settings = (await listClusterIndices(cluster, alias)).get(index)?.settings ?? {};
  const removed = Object.entries(settings).filter(([name]) => harmful.test(name));
  if (removed.length === 0) return null;
  await requestCluster(cluster, {
    what: `remove settings of ${index}`,
    method: 'PUT',
    path: `/${encodeURIComponent(index)}/_settings`,
    body: Object.fromEntries(removed.map(([name]) => [name, null])),
  });
  const list = removed.map(([name, value]) => `${name}=${value}`).join(', ');
  return `An index template of the cluster set ${list} on ${index}. This was removed, because it changes documents or deletes the index.`;
}
