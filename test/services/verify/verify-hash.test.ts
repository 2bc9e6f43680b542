import pg from 'pg';
import type { KindName } from '../../../src/kinds/kind.ts';
import { kindNames } from '../../../src/kinds/kind.ts';
import { kinds } from '../../../src/kinds/registry.ts';
import { selectBodies } from '../../../src/kinds/sql.ts';
import { createTestDatabase } from '../../support/engines/database.ts';
import { closedAfterFile, forFile } from '../../support/for-file.ts';

// A document's hash against its contents: whatever changes the one changes the other.

const database = await forFile(createTestDatabase());
const pool = await closedAfterFile(new pg.Pool({ connectionString: database.url, max: 2 }), (opened) => opened.end());
await pool.query(`
  insert into companies (id, name, slug, links) values (1, 'C', 'c', '{"x": "https://x.example/c"}'), (2, 'D', 'd', '{}');
  insert into people (id, name, slug) values (1, 'P', 'p');
  insert into investors (id, name, slug) values (1, 'I', 'i'), (2, 'J', 'j');
  insert into events (id, name, slug) values (1, 'E', 'e');
  insert into roles values (1, 0, 'Founder', 'C', null, 1);
  insert into person_companies values (1, 0, 'c', 1);
  insert into event_people values (1, 0, 'e', 1);
  insert into company_investors values (1, 0, 'I', 1);
  insert into investor_portfolio values (2, 0, 'C', 'c', 1);`);

interface Document {
  readonly hash: string;
  readonly body: string;
}

async function documentsOf(client: pg.PoolClient, kind: KindName): Promise<ReadonlyMap<number, Document>> {
  const { rows } = await client.query<Document & { readonly id: number }>(
    `select id, hash, body from (${selectBodies(kinds[kind].sql, 'document', '')}) as documents`,
  );
  return new Map(rows.map((row) => [row.id, row]));
}

/** Documents of every kind, in their order. */
async function allDocuments(client: pg.PoolClient): Promise<readonly ReadonlyMap<number, Document>[]> {
  const all: ReadonlyMap<number, Document>[] = [];
  for (const kind of kindNames) all.push(await documentsOf(client, kind));
  return all;
}

/** Returns the changes that a statement makes in every kind's documents, in a transaction that is rolled back. */
async function changedBy(statement: string): Promise<{ bodies: number; unnoticed: readonly string[] }> {
  const client = await pool.connect();
  try {
    await client.query('begin');
    const before = await allDocuments(client);
    await client.query(statement);
    let bodies = 0;
    const unnoticed: string[] = [];
    for (const [at, kind] of kindNames.entries()) {
      for (const [id, { hash, body }] of await documentsOf(client, kind)) {
        const was = before[at]?.get(id);
        if (was === undefined || was.body.slice(30) === body.slice(30)) continue;
        bodies += 1;
        if (was.hash === hash) unnoticed.push(`${statement}: ${kind} ${id}`);
      }
    }
    return { bodies, unnoticed };
  } finally {
    await client.query('rollback');
    client.release();
  }
}

const values: Readonly<Record<string, string>> = {
  bigint: '77',
  integer: '2001',
  text: `'changed'`,
  date: `'2001-02-03'`,
  boolean: 'true',
  numeric: '12.5',
  jsonb: `'{"changed": "https://changed.example/it"}'`,
  'timestamp with time zone': `'2001-02-03T04:05:06.007Z'`,
  ARRAY: `'{changed}'`,
};

test.each(kindNames)('a change of any column of %s that changes a document changes its hash', async (kind) => {
  const { rows } = await pool.query<{ column_name: string; data_type: string }>(
    'select column_name, data_type from information_schema.columns where table_name = $1',
    [kind],
  );
  const changing: string[] = [];
  for (const { column_name: column, data_type: type } of rows) {
    const value = column === 'sources' ? `'["changed"]'` : values[type];
    const { bodies, unnoticed } = await changedBy(`update ${kind} set ${column} = ${value} where id = 1`);
    expect(unnoticed).toEqual([]);
    if (bodies > 0) changing.push(column);
  }
  expect(changing).toEqual(expect.arrayContaining(['name', 'slug', 'links', 'sources', 'overview', 'updated_at']));
});

test.each([
  `update roles set title = 'Changed'`,
  `update roles set detail = 'Changed'`,
  `update roles set organisation = 'Changed', company_id = 2`,
  `delete from roles`,
  `delete from person_companies`,
  `delete from event_people`,
  `update company_investors set investor_id = 2`,
  `update company_investors set investor_name = 'Changed', investor_id = null`,
  `insert into company_investors values (2, 0, 'I', 1)`,
  `delete from investor_portfolio`,
  `update investor_portfolio set company_id = 2`,
  `update investor_portfolio set company_id = null, company_name = 'Changed'`,
])('a change of any relation that changes a document changes its hash: %s', async (statement) => {
  const { bodies, unnoticed } = await changedBy(statement);
  expect(unnoticed).toEqual([]);
  expect(bodies).toBeGreaterThan(0);
});

test('the hash does not depend on session settings, and a document begins with it', async () => {
  const client = await pool.connect();
  try {
    const before = await allDocuments(client);
    await client.query(`set time zone 'Asia/Tokyo'; set datestyle = 'German'; set extra_float_digits = 0`);
    expect(await allDocuments(client)).toEqual(before);
    for (const documents of before) {
      for (const { hash, body } of documents.values()) {
        expect(hash).toMatch(/^[0-9a-f]{16}$/);
        expect(JSON.parse(body).hash).toBe(hash);
      }
    }
  } finally {
    client.release(true);
  }
});
