import { type Cluster, ClusterRequestError, reasonText } from '../../../src/elasticsearch/admin.ts';
import { type ElasticsearchFailure, isObject, sendRequest } from '../../../src/elasticsearch/client.ts';
import { judgeClock } from '../clock.ts';
import { type DiskState, diskState } from '../disk.ts';
import { judgeElasticsearchVersions, supportedElasticsearch } from '../elasticsearch-version.ts';
import { type Check, CheckEnded, fail, ok, skipped, type Verdict, warn } from '../finding.ts';

/** What is asked of the cluster as a whole. */
export function elasticsearchChecks(cluster: Cluster): readonly Check[] {
  return [
    { name: 'elasticsearch version', run: () => checkVersion(cluster) },
    { name: 'elasticsearch health', run: () => checkHealth(cluster) },
    { name: 'elasticsearch disk', run: () => checkDisks(cluster) },
    { name: 'elasticsearch clock', run: () => checkClocks(cluster) },
  ];
}

type Body = Readonly<Record<string, unknown>>;

/** Asks once: a cluster that hangs is a finding, and asking again would hide it. Throws `CheckEnded`. */
export async function getOnce(
  cluster: Cluster,
  path: string,
  querystring: Readonly<Record<string, boolean | string>> = {},
): Promise<Body> {
  const answer = await sendRequest(cluster.client, { method: 'GET', path, querystring }, cluster.limits);
  if (answer.ok) return answer.body;
  throw new CheckEnded(judgeFailure(answer));
}

const remedies: Readonly<Record<ElasticsearchFailure['reason'], string>> = {
  unreachable: 'Start Elasticsearch, or correct ELASTICSEARCH_URL and ELASTICSEARCH_CA_FILE.',
  timeout: 'Look at the load of the cluster and at what stands between.',
  refused: 'Correct ELASTICSEARCH_API_KEY or the user in ELASTICSEARCH_URL; ops/elasticsearch has the roles.',
  rejected: `Check that ELASTICSEARCH_URL is the address of a cluster of Elasticsearch ${supportedElasticsearch}.`,
  invalid: `Check that ELASTICSEARCH_URL is the address of a cluster of Elasticsearch ${supportedElasticsearch}.`,
};

/** What Elasticsearch calls its refusals of everything that this version sends. */
const unsupported: readonly (readonly [RegExp, string])[] = [
  [
    /api_not_available_exception|serverless mode/,
    'This is a serverless project, which refuses what indices are built with.',
  ],
  [/media_type_header_exception/, 'This Elasticsearch is older than 8 or newer than 9, and refuses all requests.'],
];

/** What a failure means to the person who asked; not being allowed to ask is no fault of the cluster. */
function judgeFailure(failure: ElasticsearchFailure): Verdict {
  if (failure.status === 403) {
    return skipped(`Not looked at: ${reasonText(failure)}.`);
  }
  const { message } = new ClusterRequestError('answer', failure);
  const other = unsupported.find(([pattern]) => pattern.test(message))?.[1];
  if (other !== undefined) return fail(other, `Use a cluster of Elasticsearch ${supportedElasticsearch}.`);
  return fail(message, remedies[failure.reason]);
}

/** What an object holds at a path. */
export function valueAt(value: unknown, path: readonly string[]): unknown {
  let inner = value;
  for (const name of path) inner = isObject(inner) ? inner[name] : undefined;
  return inner;
}

function objectsIn(value: unknown): readonly Body[] {
  return isObject(value) ? Object.values(value).filter(isObject) : [];
}

async function checkVersion(cluster: Cluster): Promise<Verdict> {
  const nodes = objectsIn((await getOnce(cluster, '/_nodes/_all/none', { filter_path: 'nodes.*.version' })).nodes);
  return judgeElasticsearchVersions(nodes.map((node) => String(node.version)));
}

async function checkHealth(cluster: Cluster): Promise<Verdict> {
  const filter = 'status,number_of_data_nodes,unassigned_shards';
  const body = await getOnce(cluster, '/_cluster/health', { filter_path: filter });
  const { status, number_of_data_nodes: nodes, unassigned_shards: unassigned } = body;
  const text = `The cluster is ${status}: ${nodes} data node(s), ${unassigned} shard(s) without a place.`;
  const explain = 'curl "$ELASTICSEARCH_URL/_cluster/allocation/explain?pretty"';
  // Copies that are being made have a place.
  if (status === 'green' || (status === 'yellow' && unassigned === 0)) return ok(text);
  if (status === 'yellow') {
    const alone = nodes === 1 ? 'One node holds no copies: set ELASTICSEARCH_REPLICAS=0, or add a node. ' : '';
    return warn(text, `${alone}To see why, run: ${explain}`);
  }
  return fail(text, `Bring back the nodes that are missing; to see why, run: ${explain}. Lost for good: reindex.`);
}

const gibibyte = 2 ** 30;
const diskTexts: Readonly<Record<Exclude<DiskState, 'roomy'>, string>> = {
  low: 'no new shard goes there',
  high: 'shards are moved away',
  flood_stage: 'nothing can be written there',
};

async function checkDisks(cluster: Cluster): Promise<readonly Verdict[]> {
  const [stats, settings] = await Promise.all([
    getOnce(cluster, '/_nodes/stats/fs', { filter_path: 'nodes.*.name,nodes.*.fs.total' }),
    getOnce(cluster, '/_cluster/settings', {
      filter_path: '*.cluster.routing.allocation.disk',
      include_defaults: true,
    }),
  ]);
  const watermarks = watermarksOf(settings);
  return objectsIn(stats.nodes).map((node) => {
    const bytes = (name: string): number => Number(valueAt(node, ['fs', 'total', name]));
    const disk = { totalBytes: bytes('total_in_bytes'), availableBytes: bytes('available_in_bytes') };
    const state = diskState(disk, watermarks);
    const free = `${(disk.availableBytes / gibibyte).toFixed(1)} of ${(disk.totalBytes / gibibyte).toFixed(1)} GiB`;
    const text = `${node.name} has ${free} free`;
    if (state === 'roomy') return ok(`${text}.`);
    const todo = 'Make room or add a node; generations that are kept are shown by: entity-search status';
    const found = `${text}, beyond the watermark ${state}: ${diskTexts[state]}.`;
    return state === 'flood_stage' ? fail(found, todo) : warn(found, todo);
  });
}

/** What is set wins over the defaults. */
function watermarksOf(settings: Body): Body {
  const scopes = ['defaults', 'persistent', 'transient'].map((scope) => {
    const found = valueAt(settings, [scope, 'cluster', 'routing', 'allocation', 'disk', 'watermark']);
    return isObject(found) ? found : {};
  });
  return Object.assign({}, ...scopes);
}

async function checkClocks(cluster: Cluster): Promise<readonly Verdict[]> {
  // A connection first: making one must not count as time on the way.
  await getOnce(cluster, '/_nodes/_all/none', { filter_path: 'nodes.*.name' });
  const beforeMs = Date.now();
  const body = await getOnce(cluster, '/_nodes/stats/os', { filter_path: 'nodes.*.name,nodes.*.timestamp' });
  const afterMs = Date.now();
  return objectsIn(body.nodes).map((node) =>
    judgeClock(`Elasticsearch (${node.name})`, { beforeMs, theirsMs: Number(node.timestamp), afterMs }),
  );
}
