import { ClusterConnectionPool, Transport } from '@elastic/elasticsearch';

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

/**
 * The media types of Elasticsearch 8, which 9 accepts as well. Elasticsearch 8 refuses those of the official client
 * (400, `media_type_header_exception`).
 */
const mediaTypes = {
  jsonContentType: 'application/vnd.elasticsearch+json; compatible-with=8',
  ndjsonContentType: 'application/vnd.elasticsearch+x-ndjson; compatible-with=8',
  accept: 'application/vnd.elasticsearch+json; compatible-with=8,text/plain',
};

/** Headers for a body that is JSON text, which the client would send as plain text. */
export const jsonTextHeaders = { 'content-type': mediaTypes.jsonContentType, accept: mediaTypes.jsonContentType };

/** The official client's transport, for Elasticsearch 8 and 9. */
export class CompatibleTransport extends Transport {
  constructor(options: ConstructorParameters<typeof Transport>[0]) {
    super({ ...options, vendoredHeaders: mediaTypes });
  }
}
