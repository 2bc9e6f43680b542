import { type Cluster, ClusterRequestError } from '../../../src/elasticsearch/admin.ts';
import { ask, type ElasticsearchFailure, isObject } from '../../../src/elasticsearch/client.ts';
import { clockFinding } from '../clock.ts';
import { type DiskState, diskState } from '../disk.ts';
import { type Check, type Finding, fail, ok, skipped, warn } from '../finding.ts';

const testedMajor = '9';

/** What is asked of the cluster as a whole. */
export function elasticsearchChecks(cluster: Cluster): readonly Check[] {
  return [
    { name: 'elasticsearch version', look: () => version(cluster) },
    { name: 'elasticsearch health', look: () => health(cluster) },
    { name: 'elasticsearch disk', look: () => disks(cluster) },
    { name: 'elasticsearch clock', look: () => clock(cluster) },
  ];
}

type Body = Readonly<Record<string, unknown>>;
type Flags = Readonly<Record<string, boolean | string>>;
type Told = { readonly body: Body } | { readonly finding: Finding };

/** Asks once: a cluster that hangs is a finding, and asking again would hide it. */
export async function told(
  cluster: Cluster,
  check: string,
  path: string,
  filter: string,
  more: Flags = {},
): Promise<Told> {
  const querystring = { filter_path: filter, ...more };
  const answer = await ask(cluster.client, { method: 'GET', path, querystring }, cluster.limits);
  return answer.ok ? { body: answer.body } : { finding: findingOf(check, answer) };
}

const remedies: Readonly<Record<ElasticsearchFailure['reason'], string>> = {
  unreachable: 'Start Elasticsearch, or correct ELASTICSEARCH_URL and ELASTICSEARCH_CA_FILE.',
  timeout: 'Look at the load of the cluster and at what stands between.',
  refused: 'Correct ELASTICSEARCH_API_KEY or the user in ELASTICSEARCH_URL; ops/elasticsearch has the roles.',
  rejected: 'Check that ELASTICSEARCH_URL is the address of an Elasticsearch 9 cluster.',
  invalid: 'Check that ELASTICSEARCH_URL is the address of an Elasticsearch 9 cluster.',
};

/** What a failure means to the person who asked; not being allowed to ask is no fault of the cluster. */
export function findingOf(check: string, failure: ElasticsearchFailure): Finding {
  if (failure.status === 403) {
    return skipped(check, 'The role of this user or API key may not ask (it lacks the cluster privilege "monitor").');
  }
  const { message } = new ClusterRequestError('answer', failure);
  return fail(check, message, remedies[failure.reason]);
}

function objectsIn(value: unknown): readonly Body[] {
  return isObject(value) ? Object.values(value).filter(isObject) : [];
}

async function version(cluster: Cluster): Promise<readonly Finding[]> {
  const check = 'elasticsearch version';
  const answer = await told(cluster, check, '/_nodes/_all/none', 'nodes.*.version');
  if ('finding' in answer) return [answer.finding];
  const versions = [...new Set(objectsIn(answer.body.nodes).map((node) => String(node.version)))].sort();
  const text = `Elasticsearch ${versions.join(', ')} on ${objectsIn(answer.body.nodes).length} node(s).`;
  if (versions.length === 0 || versions.some((one) => one.split('.')[0] !== testedMajor)) {
    return [fail(check, text, `Use Elasticsearch ${testedMajor}.`)];
  }
  if (versions.length > 1) return [warn(check, text, 'Finish the upgrade: all nodes should run the same version.')];
  return [ok(check, text)];
}

async function health(cluster: Cluster): Promise<readonly Finding[]> {
  const check = 'elasticsearch health';
  const answer = await told(cluster, check, '/_cluster/health', 'status,number_of_data_nodes,unassigned_shards');
  if ('finding' in answer) return [answer.finding];
  const { status, number_of_data_nodes: nodes, unassigned_shards: unassigned } = answer.body;
  const text = `The cluster is ${status}: ${nodes} data node(s), ${unassigned} shard(s) without a place.`;
  const explain = 'curl "$ELASTICSEARCH_URL/_cluster/allocation/explain?pretty"';
  if (status === 'green') return [ok(check, text)];
  // Copies that are being made have a place.
  if (status === 'yellow' && unassigned === 0) return [ok(check, text)];
  if (status === 'yellow') {
    const alone = nodes === 1 ? 'One node holds no copies: set ELASTICSEARCH_REPLICAS=0, or add a node. ' : '';
    return [warn(check, text, `${alone}Why, says: ${explain}`)];
  }
  return [fail(check, text, `Bring back the nodes that are missing; why, says: ${explain}. Lost for good: reindex.`)];
}

const gibibyte = 2 ** 30;
const diskTexts: Readonly<Record<Exclude<DiskState, 'roomy'>, string>> = {
  low: 'no new shard goes there',
  high: 'shards are moved away',
  flood_stage: 'nothing can be written there',
};

async function disks(cluster: Cluster): Promise<readonly Finding[]> {
  const check = 'elasticsearch disk';
  const filter = '*.cluster.routing.allocation.disk';
  const [stats, settings] = await Promise.all([
    told(cluster, check, '/_nodes/stats/fs', 'nodes.*.name,nodes.*.fs.total'),
    told(cluster, check, '/_cluster/settings', filter, { include_defaults: true }),
  ]);
  if ('finding' in stats) return [stats.finding];
  if ('finding' in settings) return [settings.finding];
  const watermarks = watermarksOf(settings.body);
  return objectsIn(stats.body.nodes).map((node) => {
    const total = isObject(node.fs) && isObject(node.fs.total) ? node.fs.total : {};
    const disk = { totalBytes: Number(total.total_in_bytes), availableBytes: Number(total.available_in_bytes) };
    const state = diskState(disk, watermarks);
    const free = `${(disk.availableBytes / gibibyte).toFixed(1)} of ${(disk.totalBytes / gibibyte).toFixed(1)} GiB`;
    const text = `${node.name} has ${free} free`;
    if (state === 'roomy') return ok(check, `${text}.`);
    const todo = 'Make room or add a node; generations that are kept are shown by: entity-search status';
    const found = `${text}, beyond the watermark ${state}: ${diskTexts[state]}.`;
    return state === 'flood_stage' ? fail(check, found, todo) : warn(check, found, todo);
  });
}

/** What is set wins over the defaults. */
function watermarksOf(settings: Body): Body {
  const of = (part: string): Body => {
    let value: unknown = settings[part];
    for (const key of ['cluster', 'routing', 'allocation', 'disk', 'watermark']) {
      value = isObject(value) ? value[key] : undefined;
    }
    return isObject(value) ? value : {};
  };
  return { ...of('defaults'), ...of('persistent'), ...of('transient') };
}

async function clock(cluster: Cluster): Promise<readonly Finding[]> {
  const check = 'elasticsearch clock';
  // A connection first: making one must not count as time on the way.
  const warm = await told(cluster, check, '/_nodes/_all/none', 'nodes.*.name');
  if ('finding' in warm) return [warm.finding];
  const beforeMs = Date.now();
  const answer = await told(cluster, check, '/_nodes/stats/os', 'nodes.*.name,nodes.*.timestamp');
  const afterMs = Date.now();
  if ('finding' in answer) return [answer.finding];
  return objectsIn(answer.body.nodes).map((node) =>
    clockFinding(check, `Elasticsearch (${node.name})`, { beforeMs, theirsMs: Number(node.timestamp), afterMs }),
  );
}
