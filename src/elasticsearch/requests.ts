// Every request that entity-search sends to Elasticsearch. A proxy must let these through, and a role needs their
// privileges. docs/reference/elasticsearch.md and the error for a denied request come from this list. Tests run
// everything through a proxy that denies all other requests.

/** Senders of requests: the API, which only searches (reader), and the commands of `entity-search` (writer). */
export const clusterRoles = ['reader', 'writer'] as const;
export type ClusterRole = (typeof clusterRoles)[number];

/** A privilege by its name in Elasticsearch, or null if every user may send the request. */
type Privilege = { readonly of: 'cluster' | 'index'; readonly name: string } | null;

export interface KnownRequest {
  readonly method: string;
  /** `INDEX` means names of indices and aliases, separated by commas, and `ID` the id of a document. */
  readonly path: string;
  readonly privilege: Privilege;
  readonly roles: readonly ClusterRole[];
  readonly purpose: string;
}

const onIndex = (name: string): Privilege => ({ of: 'index', name });
const read = onIndex('read');
const write = onIndex('write');
const manage = onIndex('manage');
const monitor: Privilege = { of: 'cluster', name: 'monitor' };
const clusterState = '/_cluster/state/nodes,metadata,routing_table/INDEX';
const both = clusterRoles;
const reader = ['reader'] as const;
const writer = ['writer'] as const;

export const knownRequests: readonly KnownRequest[] = [
  { method: 'POST', path: '/INDEX/_search', privilege: read, roles: both, purpose: 'searches; compares documents' },
  { method: 'POST', path: '/_msearch', privilege: read, roles: both, purpose: 'sends several searches at once' },
  { method: 'POST', path: '/INDEX/_pit', privilege: read, roles: reader, purpose: 'freezes results for a cursor' },
  { method: 'POST', path: '/_search', privilege: read, roles: reader, purpose: 'reads pages of frozen results' },
  { method: 'DELETE', path: '/_pit', privilege: null, roles: reader, purpose: 'releases frozen results' },
  { method: 'HEAD', path: '/', privilege: null, roles: both, purpose: 'checks a failed node; 403 means it is back' },
  { method: 'POST', path: '/INDEX/_bulk', privilege: write, roles: writer, purpose: 'writes documents' },
  { method: 'POST', path: '/INDEX/_count', privilege: read, roles: writer, purpose: 'counts documents by id' },
  { method: 'GET', path: '/INDEX/_doc/ID', privilege: read, roles: writer, purpose: 'reads the write marker' },
  { method: 'PUT', path: '/INDEX/_doc/ID', privilege: write, roles: writer, purpose: 'increments the write marker' },
  { method: 'PUT', path: '/INDEX', privilege: manage, roles: writer, purpose: 'creates an index' },
  { method: 'DELETE', path: '/INDEX', privilege: manage, roles: writer, purpose: 'deletes an index' },
  { method: 'GET', path: '/INDEX/_settings', privilege: manage, roles: writer, purpose: 'lists indices' },
  {
    method: 'PUT',
    path: '/INDEX/_settings',
    privilege: manage,
    roles: writer,
    purpose: 'changes replicas and the refresh interval',
  },
  { method: 'GET', path: '/INDEX/_mapping', privilege: manage, roles: writer, purpose: 'reads the owner of an index' },
  { method: 'GET', path: '/_alias/INDEX', privilege: manage, roles: writer, purpose: 'finds the live index' },
  { method: 'POST', path: '/_aliases', privilege: manage, roles: writer, purpose: 'swaps the alias' },
  { method: 'POST', path: '/INDEX/_refresh', privilege: manage, roles: writer, purpose: 'makes documents visible' },
  { method: 'POST', path: '/INDEX/_forcemerge', privilege: manage, roles: writer, purpose: 'merges segments' },
  { method: 'GET', path: '/INDEX/_stats/docs', privilege: manage, roles: writer, purpose: 'detects a restore' },
  { method: 'GET', path: '/INDEX/_stats/docs,store', privilege: manage, roles: writer, purpose: 'reads sizes' },
  { method: 'GET', path: clusterState, privilege: monitor, roles: writer, purpose: 'finds writable shard copies' },
  {
    method: 'GET',
    path: '/_cluster/health/INDEX',
    privilege: monitor,
    roles: writer,
    purpose: 'checks whether an index is available',
  },
  { method: 'GET', path: '/_cluster/health', privilege: monitor, roles: writer, purpose: '`doctor`: health' },
  { method: 'GET', path: '/_nodes/_all/none', privilege: monitor, roles: writer, purpose: '`doctor`: versions' },
  { method: 'GET', path: '/_health_report/disk', privilege: monitor, roles: writer, purpose: '`doctor`: disks' },
];

const patterns = knownRequests.map((request) => {
  const escaped = request.path.replace(/[/,]/g, '\\$&');
  // The expression comes from the constant list above.
  // nosemgrep: no-expressions-from-values
  const pattern = new RegExp(`^${escaped.replace(/INDEX|ID/g, (name) => `(?<${name}>[^_/?][^/?]*)`)}$`);
  return { request, pattern };
});

/** Returns the known request that matches, with the indices in its path, or undefined if none does. */
export function findRequest(
  method: string,
  path: string,
): { readonly request: KnownRequest; readonly indices: readonly string[] } | undefined {
  for (const { request, pattern } of patterns) {
    const match = request.method === method ? pattern.exec(path) : null;
    if (match === null) continue;
    return {
      request,
      indices: decodeURIComponent(match.groups?.INDEX ?? '')
        .split(',')
        .filter(Boolean),
    };
  }
  return undefined;
}

/** Describes a denied request and the privilege that it needs. */
export function describeDenied(method: string, path: string): string {
  const found = findRequest(method, path);
  const right = found === undefined ? null : found.request.privilege;
  const sent = `${method} ${decodeURIComponent(path)}`;
  if (right === null) return `${sent} was denied by a proxy in between; let it through`;
  const on =
    right.of === 'index' && found !== undefined && found.indices.length > 0 ? ` on ${found.indices.join(', ')}` : '';
  return `${sent} was denied; give the user or API key the ${right.of} privilege "${right.name}"${on}, or have the proxy in between let it through (docs/reference/elasticsearch.md)`;
}

/** Operations by the part of the path that begins with `_`. */
const operations: Readonly<Record<string, string>> = {
  _search: 'search',
  _bulk: 'bulk',
  _count: 'count',
  _refresh: 'refresh',
  _forcemerge: 'forcemerge',
  _settings: 'settings',
  _alias: 'alias',
  _aliases: 'alias',
  _stats: 'stats',
  _cluster: 'cluster',
};

const onIndices: Readonly<Record<string, string>> = { PUT: 'create_index', DELETE: 'delete_index', GET: 'get_index' };

/**
 * Returns the operation of a request as one of a few words, because labels of metrics must not grow
 * with indices and ids.
 */
export function operationOf(method: string, path: string): string {
  const parts = path.split('/').filter((part) => part !== '');
  const named = parts.find((part) => part.startsWith('_'));
  if (named === '_pit') return method === 'DELETE' ? 'close_point_in_time' : 'open_point_in_time';
  if (named !== undefined) return operations[named] ?? 'other';
  return parts.length === 1 ? (onIndices[method] ?? 'other') : 'other';
}
