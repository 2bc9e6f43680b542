import { ClusterConnectionPool } from '@elastic/elasticsearch';

/** The first pause of a failed node. It doubles up to four times this. */
const leftOutMs = 1_000;
const doublings = 2;
/** Timeout of the ping that checks a failed node. */
const pingMs = 1_000;

/**
 * The official client's pool with shorter pauses: its minimum of a minute for a failed node is far longer than a
 * restart. A failed node gets no requests until it has answered a ping, unless all nodes have failed.
 */
export class NodePool extends ClusterConnectionPool {
  override resurrectTimeout = leftOutMs;
  override resurrectTimeoutCutoff = doublings;
  override pingTimeout = pingMs;

  override resurrect(options: Parameters<ClusterConnectionPool['resurrect']>[0]): void {
    const next = this.connections.find(({ id }) => id === this.dead[0]);
    const isDue = next !== undefined && options.now !== undefined && options.now >= next.resurrectTimeout;
    super.resurrect(options);
    // Every request calls this method, but one ping is enough.
    if (isDue) next.resurrectTimeout = options.now + pingMs + leftOutMs;
  }
}

/** Returns the addresses in a list that is separated by commas. A comma in a password is written %2C. */
export function nodeAddresses(list: string): readonly [URL, ...URL[]] {
  const [first = '', ...others] = list.split(',').map((address) => address.trim());
  return [new URL(first), ...others.map((address) => new URL(address))];
}
