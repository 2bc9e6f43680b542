import { type Cluster, listClusterIndices, requestCluster } from '../../src/elasticsearch/admin.ts';

// The cluster's own index templates also apply to our indices. Two kinds of settings are removed: a pipeline changes
// documents on their way, so they differ from the tables; a lifecycle rolls over or deletes an index that the alias
// names. Other settings may be intended for all indices (slow logs, tiers): they are reported.

const takenAway = /^index\.(default_pipeline|final_pipeline|lifecycle\..*)$/;

/** Settings that every index has, or that we set. */
const expected =
  /^index\.(creation_date|number_of_(shards|replicas)|provided_name|uuid|version\..*|refresh_interval|gc_deletes|mapping\.exclude_source_vectors|analysis\..*|blocks\..*|routing\.allocation\.include\._tier_preference|resize\..*)$/;

/**
 * Removes harmful settings that an index template gave a new index. Returns sentences about the removed and the
 * remaining ones. Idempotent. Throws `ClusterRequestError`.
 */
export async function removeForeignSettings(
  cluster: Cluster,
  alias: string,
  index: string,
): Promise<readonly string[]> {
  const settings = (await listClusterIndices(cluster, alias)).get(index)?.settings ?? {};
  const foreign = Object.entries(settings).filter(([name]) => !expected.test(name));
  const removed = foreign.filter(([name]) => takenAway.test(name));
  const told = foreign.filter(([name]) => !takenAway.test(name));
  if (removed.length > 0) {
    await requestCluster(cluster, {
      what: `take away settings of ${index}`,
      method: 'PUT',
      path: `/${encodeURIComponent(index)}/_settings`,
      body: Object.fromEntries(removed.map(([name]) => [name, null])),
    });
  }
  const list = (some: typeof foreign): string => some.map(([name, value]) => `${name}=${value}`).join(', ');
  return [
    ...(removed.length === 0
      ? []
      : [
          `An index template of the cluster gave ${index} ${list(removed)}, which was taken away: it changes documents, or removes the index.`,
        ]),
    ...(told.length === 0 ? [] : [`An index template of the cluster gave ${index} ${list(told)}, which stays.`]),
  ];
}
