import type { Cluster } from '../../../src/elasticsearch/admin.ts';
import { isObject } from '../../../src/elasticsearch/client.ts';
import { aliasName } from '../../../src/kinds/index-names.ts';
import { kindNames } from '../../../src/kinds/kind.ts';
import type { Check } from '../check.ts';
import { fail, ok, type Verdict } from '../finding.ts';
import { getOnce, valueAt } from './elasticsearch.ts';

/** Checks whether an index, or the whole cluster, refuses reads or writes. */
export function blocksCheck(cluster: Cluster, indexPrefix: string): Check {
  return {
    name: 'elasticsearch blocks',
    async run() {
      const names = kindNames.map((kind) => `${aliasName(indexPrefix, kind)}-*`).join(',');
      const [indices, settings] = await Promise.all([
        getOnce(cluster, `/${encodeURIComponent(names)}/_settings`, {
          filter_path: '*.settings.index.blocks',
          expand_wildcards: 'open,closed',
        }),
        getOnce(cluster, '/_cluster/settings', { filter_path: '*.cluster.blocks' }),
      ]);
      const verdicts = [
        ...Object.entries(indices).flatMap(([index, value]) => judgeIndex(index, value)),
        ...['persistent', 'transient'].flatMap((scope) => judgeCluster(scope, settings)),
      ];
      return verdicts.length > 0 ? verdicts : ok('No index refuses to be written.');
    },
  };
}

function judgeIndex(index: string, value: unknown): readonly Verdict[] {
  const names = setBlocks(valueAt(value, ['settings', 'index', 'blocks'])).map((name) => `index.blocks.${name}`);
  if (names.length === 0) return [];
  const found = `${index} is blocked (${names.join(', ')}): what is written waits, and sync with it.`;
  return [fail(found, unblock(names, withNulls(names), `${encodeURIComponent(index)}/_settings`))];
}

function judgeCluster(scope: string, settings: unknown): readonly Verdict[] {
  const names = setBlocks(valueAt(settings, [scope, 'cluster', 'blocks'])).map((name) => `cluster.blocks.${name}`);
  if (names.length === 0) return [];
  const found = `The whole cluster is blocked (${names.join(', ')}): nothing can be written to any index.`;
  return [fail(found, unblock(names, { [scope]: withNulls(names) }, '_cluster/settings'))];
}

function setBlocks(blocks: unknown): readonly string[] {
  if (!isObject(blocks)) return [];
  return Object.entries(blocks).flatMap(([name, value]) => (String(value) === 'true' ? [name] : []));
}

function withNulls(names: readonly string[]): Readonly<Record<string, null>> {
  return Object.fromEntries(names.map((name) => [name, null]));
}

/** Returns the command that removes blocks. */
function unblock(names: readonly string[], body: object, path: string): string {
  const isFull = names.some((name) => name.endsWith('read_only_allow_delete'));
  const run = isFull ? 'Make room on the disk, then run' : 'Run';
  return `${run}: curl -X PUT -H 'Content-Type: application/json' -d '${JSON.stringify(body)}' "$ELASTICSEARCH_URL/${path}"`;
}
