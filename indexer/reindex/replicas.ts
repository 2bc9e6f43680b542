import { type Cluster, requestCluster } from '../../src/elasticsearch/admin.ts';
import { sleep } from '../../src/lib/sleep.ts';

/** The longest wait for the copies of an index; a gigabyte takes about a minute. */
const waitAtMostMs = 10 * 60_000;
const pauseMs = 500;

/**
 * Waits until an index has all its copies, so that searches do not lose it with the first node that fails after the
 * swap. Returns null then, and a sentence if they are missing: the cluster has too few nodes for them, or takes longer
 * than ten minutes; an index without copies also works. Throws `ClusterRequestError`, or the signal's reason.
 */
export async function waitForCopies(
  cluster: Cluster,
  index: string,
  options: { readonly replicas: number; readonly nowMs: () => number; readonly signal: AbortSignal },
): Promise<string | null> {
  const { replicas, nowMs, signal } = options;
  if (replicas === 0) return null;
  const endMs = nowMs() + waitAtMostMs;
  for (;;) {
    signal.throwIfAborted();
    const health = await requestCluster(cluster, {
      what: `wait for the copies of ${index}`,
      method: 'GET',
      path: `/_cluster/health/${encodeURIComponent(index)}`,
    });
    if (health.status === 'green') return null;
    const nodes = Number(health.number_of_data_nodes);
    if (nodes <= replicas) {
      return `${index} is live without all its replicas: ${nodes} data node(s) can't hold ${replicas} (ELASTICSEARCH_REPLICAS).`;
    }
    if (nowMs() >= endMs) return `${index} is live without all its replicas, which were not ready within ten minutes.`;
    await sleep(pauseMs, signal);
  }
}
