import { type Cluster, ClusterRequestError, reasonText } from '../../../src/elasticsearch/admin.ts';
import { type ElasticsearchFailure, sendRequest } from '../../../src/elasticsearch/client.ts';
import { isObject } from '../../../src/lib/is-object.ts';
import { type Check, CheckEnded } from '../check.ts';
import { fail, ok, skipped, type Verdict, warn } from '../finding.ts';

/** The versions whose main paths are tested: the last of 8, and all of 9. */
const supportedElasticsearch = '8.19 or 9';

export function elasticsearchChecks(cluster: Cluster): readonly Check[] {
  return [
    { name: 'elasticsearch version', isProbe: true, run: () => checkVersion(cluster) },
    { name: 'elasticsearch health', run: () => checkHealth(cluster) },
    { name: 'elasticsearch disk', run: () => checkDisk(cluster) },
  ];
}

type Body = Readonly<Record<string, unknown>>;

/** Sends a request without retries: a cluster that hangs is a finding. Throws `CheckEnded`. */
async function getOnce(
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
  timeout: 'Check the load of the cluster and the network to it.',
  refused: 'Correct ELASTICSEARCH_API_KEY or the user in ELASTICSEARCH_URL; ops/elasticsearch has the roles.',
  rejected: `Check that ELASTICSEARCH_URL is the address of a cluster of Elasticsearch ${supportedElasticsearch}.`,
  invalid: `Check that ELASTICSEARCH_URL is the address of a cluster of Elasticsearch ${supportedElasticsearch}.`,
};

/** Error types with which an unsupported cluster refuses every request of this version. */
const unsupported: readonly (readonly [RegExp, string])[] = [
  [
    /api_not_available_exception|serverless mode/,
    'This is a serverless project, which does not support the settings of the indices.',
  ],
  [/media_type_header_exception/, 'This Elasticsearch is older than 8 or newer than 9, and refuses all requests.'],
];

/** Judges a failed request. A 403 is not a fault of the cluster. */
function judgeFailure(failure: ElasticsearchFailure): Verdict {
  if (failure.status === 403) {
    return skipped(`Not checked: ${reasonText(failure)}.`);
  }
  const { message } = new ClusterRequestError('answer', failure);
  const other = unsupported.find(([pattern]) => pattern.test(message))?.[1];
  if (other !== undefined) return fail(other, `Use a cluster of Elasticsearch ${supportedElasticsearch}.`);
  return fail(message, remedies[failure.reason]);
}

function valueAt(value: unknown, path: readonly string[]): unknown {
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

export function judgeElasticsearchVersions(versions: readonly string[]): Verdict {
  const distinct = [...new Set(versions)].sort();
  const text = `Elasticsearch ${distinct.join(', ')} on ${versions.length} node(s).`;
  const unsupported = distinct.filter((version) => !isSupported(version));
  if (versions.length === 0 || unsupported.length > 0)
    return fail(text, `Use Elasticsearch ${supportedElasticsearch}.`);
  if (distinct.length > 1) return warn(text, 'Finish the upgrade: all nodes should run the same version.');
  return ok(text);
}

function isSupported(version: string): boolean {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  return major === 9 || (major === 8 && minor >= 19);
}

async function checkHealth(cluster: Cluster): Promise<Verdict> {
  const filter = 'status,number_of_data_nodes,unassigned_shards';
  const body = await getOnce(cluster, '/_cluster/health', { filter_path: filter });
  const { status, number_of_data_nodes: nodes, unassigned_shards: unassigned } = body;
  const text = `The cluster is ${status}: ${nodes} data node(s), ${unassigned} unassigned shard(s).`;
  const explain = 'curl "$ELASTICSEARCH_URL/_cluster/allocation/explain?pretty"';
  // Copies under construction count as assigned.
  if (status === 'green' || (status === 'yellow' && unassigned === 0)) return ok(text);
  if (status === 'yellow') {
    const alone = nodes === 1 ? 'One node holds no copies: set ELASTICSEARCH_REPLICAS=0, or add a node. ' : '';
    return warn(text, `${alone}To see why, run: ${explain}`);
  }
  return fail(text, `Bring back the missing nodes; to see why, run: ${explain}. If they are lost: reindex.`);
}

/** Elasticsearch itself compares its disks with its watermarks. */
async function checkDisk(cluster: Cluster): Promise<Verdict> {
  const body = await getOnce(cluster, '/_health_report/disk');
  const disk = valueAt(body, ['indicators', 'disk']);
  const symptom = String(valueAt(disk, ['symptom']));
  switch (valueAt(disk, ['status'])) {
    case 'green':
      return ok(symptom);
    case 'red':
      return fail(symptom, roomTodo);
    default:
      return warn(symptom, roomTodo);
  }
}

const roomTodo = 'Make room or add a node; entity-search status shows the generations that are kept.';
