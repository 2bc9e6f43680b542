import { ClusterConnectionPool } from '@elastic/elasticsearch';

/** After a failure a node is left out for this long, then doubled up to four times as long. */
const leftOutMs = 1_000;
const doublings = 2;
/** For the question whether it is there again. */
const pingMs = 1_000;

/**
 * The official client's pool, made for answers within seconds: its own minimum of a minute for a node that failed is far
 * longer than a restart. A node that failed gets no requests until it has answered a ping, unless all have failed.
 */
export class NodePool extends ClusterConnectionPool {
  override resurrectTimeout = leftOutMs;
  override resurrectTimeoutCutoff = doublings;
  override pingTimeout = pingMs;

  override resurrect(options: Parameters<ClusterConnectionPool['resurrect']>[0]): void {
    const next = this.connections.find(({ id }) => id === this.dead[0]);
    const isDue = next !== undefined && options.now !== undefined && options.now >= next.resurrectTimeout;
    super.resurrect(options);
    // Every request comes by here: one ping is enough.
    if (isDue) next.resurrectTimeout = options.now + pingMs + leftOutMs;
  }
}

/** The addresses in a list that is separated by commas. A comma in a password is written %2C. */
export function nodeAddresses(list: string): readonly [URL, ...URL[]] {
  const [first = '', ...others] = list.split(',').map((address) => address.trim());
  return [new URL(first), ...others.map((address) => new URL(address))];
}
