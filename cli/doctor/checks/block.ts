import type { Cluster } from '../../../src/elasticsearch/admin.ts';
import { isObject } from '../../../src/elasticsearch/client.ts';
import { aliasName } from '../../../src/kinds/index-names.ts';
import { kindNames } from '../../../src/kinds/kind.ts';
import { type Check, type Finding, fail, ok } from '../finding.ts';
import { told } from './elasticsearch.ts';

const check = 'elasticsearch blocks';

/** Does an index, or the whole cluster, refuse to be written or read? */
export function blockCheck(cluster: Cluster, indexPrefix: string): Check {
  return {
    name: check,
    async look() {
      const names = kindNames.map((kind) => `${aliasName(indexPrefix, kind)}-*`).join(',');
      const [indices, all] = await Promise.all([
        told(cluster, check, `/${encodeURIComponent(names)}/_settings`, '*.settings.index.blocks', {
          expand_wildcards: 'open,closed',
        }),
        told(cluster, check, '/_cluster/settings', '*.cluster.blocks'),
      ]);
      if ('finding' in indices) return [indices.finding];
      const findings = [
        ...Object.entries(indices.body).flatMap(([index, value]) => blockedIndex(index, value)),
        // Who may not ask for the cluster's settings is told so by other checks.
        ...('body' in all ? blockedCluster(all.body) : []),
      ];
      return findings.length > 0 ? findings : [ok(check, 'No index refuses to be written.')];
    },
  };
}

function blockedIndex(index: string, value: unknown): readonly Finding[] {
  const names = setBlocks(at(value, ['settings', 'index', 'blocks'])).map((name) => `index.blocks.${name}`);
  if (names.length === 0) return [];
  const found = `${index} is blocked (${names.join(', ')}): what is written waits, and sync with it.`;
  return [fail(check, found, todoOf(names, names, `${encodeURIComponent(index)}/_settings`))];
}

function blockedCluster(body: unknown): readonly Finding[] {
  return ['persistent', 'transient'].flatMap((scope) => {
    const names = setBlocks(at(body, [scope, 'cluster', 'blocks'])).map((name) => `cluster.blocks.${name}`);
    if (names.length === 0) return [];
    const found = `The whole cluster is blocked (${names.join(', ')}): nothing can be written to any index.`;
    return [fail(check, found, todoOf(names, { [scope]: names }, '_cluster/settings'))];
  });
}

/** The command that takes blocks away. */
function todoOf(
  names: readonly string[],
  keys: readonly string[] | Readonly<Record<string, readonly string[]>>,
  path: string,
): string {
  const nulls = (list: readonly string[]) => Object.fromEntries(list.map((name) => [name, null]));
  const body = isList(keys)
    ? nulls(keys)
    : Object.fromEntries(Object.entries(keys).map(([k, list]) => [k, nulls(list)]));
  const full = names.some((name) => name.endsWith('read_only_allow_delete'))
    ? 'Make room on the disk, then run'
    : 'Run';
  return `${full}: curl -X PUT -H 'Content-Type: application/json' -d '${JSON.stringify(body)}' "$ELASTICSEARCH_URL/${path}"`;
}

function isList(value: readonly string[] | object): value is readonly string[] {
  return Array.isArray(value);
}

function setBlocks(blocks: unknown): readonly string[] {
  if (!isObject(blocks)) return [];
  return Object.entries(blocks).flatMap(([name, value]) => (String(value) === 'true' ? [name] : []));
}

function at(value: unknown, path: readonly string[]): unknown {
  let inner = value;
  for (const name of path) inner = isObject(inner) ? inner[name] : undefined;
  return inner;
}
