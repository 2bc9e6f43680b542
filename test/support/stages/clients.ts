import { Client } from '@elastic/elasticsearch';
import { aliasName } from '../../../src/kinds/index-names.ts';
import { kinds } from '../../../src/kinds/registry.ts';
import { selectBodies } from '../../../src/kinds/sql.ts';
import type { Stage } from './api.ts';

/** Adds the companies that the clients' READMEs and examples ask for. */
export async function addCompanies({ pool, elasticsearchUrl, indexPrefix }: Stage): Promise<void> {
  await pool.query(
    `insert into companies (id, name, slug, tags, country, website)
     select id, 'Plover Spire ' || id, 'plover-spire-' || id, '{exchange}', 'Australia', 'https://plover.example'
     from generate_series(11, 70) id`,
  );
  await pool.query(`update companies set name = 'Plover Spire', slug = 'plover-spire' where id = 11`);
  const { rows } = await pool.query<{ id: string; body: string }>(selectBodies(kinds.companies.sql, 'document', ''));
  const client = new Client({ node: elasticsearchUrl });
  const index = aliasName(indexPrefix, 'companies');
  const operations = rows.flatMap(({ id, body }) => [{ index: { _id: id } }, JSON.parse(body) as object]);
  const { errors } = await client.bulk({ index, operations, refresh: true });
  if (errors) throw new Error('companies could not be indexed');
  await client.close();
}
