import { randomBytes } from 'node:crypto';
import type { Client } from '@elastic/elasticsearch';
import { createElasticsearchClient } from '../../../src/elasticsearch/client.ts';
import { requiredEnv } from '../jest/required-env.ts';

/** A part of the test cluster that belongs to one test file. */
export interface TestIndices extends AsyncDisposable {
  readonly url: string;
  /** The value for INDEX_PREFIX; no other test has it. */
  readonly prefix: string;
  readonly client: Client;
  /** The names of its indices now, sorted. */
  list(): Promise<readonly string[]>;
}

/** Creates a client of the test cluster, or of a proxy in front of it. */
export function createTestClient(url = requiredEnv('TEST_ELASTICSEARCH_URL')): Client {
  return createElasticsearchClient({
    url,
    apiKey: undefined,
    caFile: undefined,
    maxResponseBytes: 16 * 1_048_576,
    maxConnections: 8,
  });
}

/** Creates a client. All indices under its prefix, by default a new one, are deleted at the end. */
export function createTestIndices(prefix = `t${randomBytes(6).toString('hex')}-`): TestIndices {
  const url = requiredEnv('TEST_ELASTICSEARCH_URL');
  const client = createTestClient();
  const list = async (): Promise<readonly string[]> =>
    Object.keys(await client.indices.getSettings({ index: `${prefix}*`, filter_path: '*.settings.index.uuid' })).sort();
  return {
    url,
    prefix,
    client,
    list,
    [Symbol.asyncDispose]: async () => {
      // Deletes by name, because a cluster may refuse patterns. The markers' index is hidden.
      const index = Object.keys(await client.indices.get({ index: `${prefix}*`, expand_wildcards: 'all' }));
      if (index.length > 0) await client.indices.delete({ index });
      await client.close();
    },
  };
}
