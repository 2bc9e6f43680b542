import { z } from 'zod';
import { elasticsearchConfig } from '../../src/config/indexer.ts';
import type { Environment } from '../../src/config/settings.ts';
import { createElasticsearchClient, sendRequest } from '../../src/elasticsearch/client.ts';
import { aliasName } from '../../src/kinds/index-names.ts';
import { kindNames } from '../../src/kinds/kind.ts';

const answerTimeoutMs = 10_000;

/** The cluster of the demo's indices. */
export interface DemoIndices extends AsyncDisposable {
  /** The identity of the cluster at this address; undefined if it does not report one. */
  clusterId(): Promise<string | undefined>;
  serve(): Promise<boolean>;
}

/** Reads ELASTICSEARCH_URL, its credentials and INDEX_PREFIX. Opens no connection until it is used. */
export function demoIndices(env: Environment): DemoIndices {
  const settings = elasticsearchConfig(env);
  const client = createElasticsearchClient({ ...settings, maxConnections: 4, maxResponseBytes: 16_777_216 });
  const aliases = kindNames.map((kind) => aliasName(settings.indexPrefix, kind));

  return {
    async clusterId() {
      const path = '/_cluster/state/version';
      const answer = await sendRequest(client, { method: 'GET', path }, { timeoutMs: answerTimeoutMs });
      return z.object({ cluster_uuid: z.string().optional() }).parse(answer.ok ? answer.body : {}).cluster_uuid;
    },
    async serve() {
      const path = `/_alias/${aliases.map(encodeURIComponent).join(',')}`;
      return (await sendRequest(client, { method: 'GET', path }, { timeoutMs: answerTimeoutMs })).ok;
    },
    [Symbol.asyncDispose]: () => client.close(),
  };
}
