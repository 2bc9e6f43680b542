import { z } from 'zod';
import { type Cluster, requestCluster } from '../../src/elasticsearch/admin.ts';

/** An index of a kind as the cluster has it. */
export interface ClusterIndex {
  readonly name: string;
  /** Nothing can be read from it or written to it. */
  readonly closed: boolean;
  /** Flat names, such as `index.blocks.write`; what the cluster has by default is not among them. */
  readonly settings: Readonly<Record<string, string>>;
}

const answer = z.record(z.string(), z.object({ settings: z.record(z.string(), z.unknown()) }));

/**
 * Every generation's index of a kind that is on the cluster, also closed ones and those that the database knows nothing
 * of, by name. Throws `ClusterRequestError`.
 */
export async function listClusterIndices(cluster: Cluster, alias: string): Promise<ReadonlyMap<string, ClusterIndex>> {
  const body = await requestCluster(cluster, {
    what: `list the indices of ${alias}`,
    method: 'GET',
    path: `/${encodeURIComponent(alias)}-*/_settings`,
    querystring: { expand_wildcards: 'open,closed', flat_settings: true },
  });
  const indices = Object.entries(answer.parse(body)).map(([name, { settings }]) => {
    const flat = Object.fromEntries(Object.entries(settings).map(([key, value]) => [key, String(value)]));
    return [name, { name, closed: flat['index.verified_before_close'] === 'true', settings: flat }] as const;
  });
  return new Map(indices);
}
