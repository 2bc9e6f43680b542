import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The packages of the local node and its plugin. */
export const sourceDir = join(import.meta.dirname, 'java');

export const elasticsearchVersions = ['8.19', '9'] as const;
export type ElasticsearchVersion = (typeof elasticsearchVersions)[number];

export const newestElasticsearch = '9' satisfies ElasticsearchVersion;

const properties: Readonly<Record<ElasticsearchVersion, string>> = {
  '8.19': 'elasticsearch.8.version',
  '9': 'elasticsearch.version',
};

/** The full version, such as 9.5.3. It is only in pom.xml, and the Docker image follows it. */
export function fullVersion(version: ElasticsearchVersion = newestElasticsearch): string {
  const property = properties[version];
  const found = readFileSync(join(sourceDir, 'pom.xml'), 'utf8').split(`<${property}>`)[1]?.split('<')[0];
  if (found === undefined) throw new Error(`dev/engines/elasticsearch/java/pom.xml names no ${property}.`);
  return found;
}
