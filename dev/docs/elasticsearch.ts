import { type ClusterRole, knownRequests } from '../../src/elasticsearch/requests.ts';
import { code, table } from './table.ts';

export function elasticsearchPage(): string {
  return `# Elasticsearch

Connect entity-search to your own cluster. This page also lists every request that it sends.

## Versions

| version | |
| --- | --- |
| 9 | supported; all tests run on it |
| 8.19 | supported; tested along the main paths |
| other versions, OpenSearch, serverless projects of Elastic Cloud | not supported; \`doctor\` fails |

Requests use the media types of version 8, so you can upgrade a cluster from 8.19 to 9 while the service runs. No plugin,
script, pipeline or licensed feature is used.

## Connect

\`\`\`sh
export ELASTICSEARCH_URL=https://search.example.com:9200 ELASTICSEARCH_API_KEY=…   # the key's \`encoded\` form
export INDEX_PREFIX=search-            # what the names in the key begin with
npx entity-search doctor               # names missing rights
\`\`\`

- **Several nodes.** List their addresses, or give that of a load balancer. The service doesn't discover nodes.
- **Proxies.** The address may have a path, which the proxy removes. A proxy may deny all requests that aren't listed
  below. It must keep query parameters, \`Content-Type\`, \`Accept\`, \`Authorization\`, and in answers the status and
  \`X-Elastic-Product\`. \`HTTPS_PROXY\` isn't used.
- **Elastic Cloud.** Use the deployment's Elasticsearch endpoint and an API key, without \`ELASTICSEARCH_CA_FILE\`. No test
  reaches Elastic Cloud.
- **Placement.** Put searches on separate nodes by shard allocation filtering or a data tier in an index template;
  \`reindex\` keeps such settings. For several clusters, use cross-cluster replication, or a database and a \`sync\` for each.

If a request is denied (403), a command names the missing privilege and stops. Grant it and run the command again;
\`sync\` retries by itself.

## Requests of the API

\`INDEX\` is one or more names: \`INDEX_PREFIX\`, then a kind, \`-\` and a generation, or \`sync-markers\`. \`ID\` is a document's id.

${requestsOf('reader')}

\`POST /_security/api_key\` with this body creates its key, here for \`INDEX_PREFIX=search-\`:

${apiKeyOf('reader')}

## Requests of \`entity-search\`

${requestsOf('writer')}

${apiKeyOf('writer')}

\`ops/elasticsearch\` has the same rights as roles of users, for indices without a prefix.
`;
}

function requestsOf(role: ClusterRole): string {
  const rows = knownRequests
    .filter(({ roles }) => roles.includes(role))
    .map(({ method, path, privilege, purpose }) => [
      code(`${method} ${path}`),
      privilege === null ? 'none' : `${privilege.of}: ${code(privilege.name)}`,
      purpose,
    ]);
  return table(['request', 'privilege', 'for'], rows);
}

const keyNames: Readonly<Record<ClusterRole, string>> = {
  reader: 'entity-search-api',
  writer: 'entity-search-commands',
};

function apiKeyOf(role: ClusterRole): string {
  const body = {
    name: keyNames[role],
    role_descriptors: { [`entity_search_${role}`]: roleDescriptor(role, ['search-*']) },
  };
  return ['```json', JSON.stringify(body, undefined, 2), '```'].join('\n');
}

/** Returns the privileges of all requests of a role, as Elasticsearch's role descriptor. */
export function roleDescriptor(role: ClusterRole, names: readonly string[]) {
  const wanted = knownRequests.flatMap(({ roles, privilege }) => (roles.includes(role) ? (privilege ?? []) : []));
  const privilegesOf = (of: 'cluster' | 'index') =>
    [...new Set(wanted.flatMap((privilege) => (privilege.of === of ? privilege.name : [])))].sort();
  return { cluster: privilegesOf('cluster'), indices: [{ names, privileges: privilegesOf('index') }] };
}
