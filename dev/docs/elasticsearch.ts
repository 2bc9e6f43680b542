import { type ClusterRole, knownRequests } from '../../src/elasticsearch/requests.ts';
import { code, table } from './table.ts';

export function elasticsearchPage(): string {
  return `# Requests to Elasticsearch

All that entity-search sends, and the privilege that each request needs. [Elasticsearch](../elasticsearch.md) says how
to connect. A proxy in between may deny everything else: tests run all commands and the API through one that does.

\`INDEX\` is one name, or several separated by commas: \`INDEX_PREFIX\` and then a kind, \`-\` and a generation (the
write alias of one ends in \`-write\`), or \`sync-markers\`. \`ID\` is a document's. Query parameters differ; a proxy must
not remove any, nor the header \`X-Elastic-Product\` of answers.

## The API, which only searches

${requestsOf('reader')}

\`POST /_security/api_key\` makes its key, here for \`INDEX_PREFIX=search-\`; \`encoded\` in the answer is
\`ELASTICSEARCH_API_KEY\`:

${apiKeyOf('reader')}

## Commands of \`entity-search\`

${requestsOf('writer')}

${apiKeyOf('writer')}

A request that is denied (403) stops a command, and \`sync\` waits and tries again: both name the privilege, nothing is
lost, and the same command goes on once it is granted. \`doctor\` skips what it may not ask.
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

/** The privileges of a role, in Elasticsearch's form: those of all its requests. */
export function roleDescriptor(role: ClusterRole, names: readonly string[]) {
  const wanted = knownRequests.flatMap(({ roles, privilege }) => (roles.includes(role) ? (privilege ?? []) : []));
  const privilegesOf = (of: 'cluster' | 'index') =>
    [...new Set(wanted.flatMap((privilege) => (privilege.of === of ? privilege.name : [])))].sort();
  return { cluster: privilegesOf('cluster'), indices: [{ names, privileges: privilegesOf('index') }] };
}
