/** What a path asks for stands in its last part that begins with `_`. */
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
 * What a request to Elasticsearch does, in a word of a small set: for the labels of metrics and the names of spans,
 * which must not grow with indices and ids.
 */
export function operationOf(method: string, path: string): string {
  const parts = path.split('/').filter((part) => part !== '');
  const named = parts.find((part) => part.startsWith('_'));
  if (named === '_pit') return method === 'DELETE' ? 'close_point_in_time' : 'open_point_in_time';
  if (named !== undefined) return operations[named] ?? 'other';
  return parts.length === 1 ? (onIndices[method] ?? 'other') : 'other';
}
