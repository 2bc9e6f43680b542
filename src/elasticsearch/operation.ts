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
 * Returns the operation of a request as one of a few words. Labels of metrics and names of spans must not grow with
 * indices and ids.
 */
export function operationOf(method: string, path: string): string {
  const parts = path.split('/').filter((part) => part !== '');
  const named = parts.find((part) => part.startsWith('_'));
  if (named === '_pit') return method === 'DELETE' ? 'close_point_in_time' : 'open_point_in_time';
  if (named !== undefined) return operations[named] ?? 'other';
  return parts.length === 1 ? (onIndices[method] ?? 'other') : 'other';
}
