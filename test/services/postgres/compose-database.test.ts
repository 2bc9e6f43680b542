import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import pg from 'pg';
import { withClient } from '../../../dev/engines/postgres/client.ts';
import { migrate } from '../../../src/schema/migrate.ts';
import { roleName, serviceRoles } from '../../../src/schema/rights.ts';
import { requiredEnv } from '../../support/jest/required-env.ts';

const script = readFileSync(new URL('../../../ops/postgres/create-database.sh', import.meta.url), 'utf8');
const name = `compose_${randomUUID().replaceAll('-', '')}`;
const password = randomUUID();

const madeRoles = [name, ...serviceRoles.map((role) => roleName(role).replace('entity_search', name))];

/** The script's statements, for roles and a database of this test's own. */
function statements(): readonly string[] {
  const [, sql = ''] = /<<'SQL'\n([\s\S]*?)\nSQL\n/.exec(script) ?? [];
  return sql
    .split('\n')
    .filter((line) => !line.startsWith('\\'))
    .map((line) => line.replaceAll('entity_search', name).replace(/:'\w+'/, pg.escapeLiteral(password)));
}

function asSuperuser(work: (client: pg.Client) => Promise<void>): Promise<void> {
  return withClient(requiredEnv('TEST_DATABASE_URL'), work);
}

afterAll(() =>
  asSuperuser(async (client) => {
    await client.query(`drop database if exists ${name}`);
    for (const role of madeRoles) await client.query(`drop role if exists ${role}`);
  }),
);

test('the roles that compose creates are not superusers, and their owner can do everything that migrations need', async () => {
  await asSuperuser(async (client) => {
    expect(statements()).toHaveLength(madeRoles.length + 2);
    for (const statement of statements()) await client.query(statement);
    const { rows } = await client.query(
      'select rolsuper, rolcreatedb, rolcreaterole, rolreplication, rolbypassrls from pg_roles where rolname = any($1)',
      [madeRoles],
    );
    const no = {
      rolsuper: false,
      rolcreatedb: false,
      rolcreaterole: false,
      rolreplication: false,
      rolbypassrls: false,
    };
    expect(rows).toEqual(madeRoles.map(() => no));
  });
  const url = new URL(requiredEnv('TEST_DATABASE_URL'));
  Object.assign(url, { username: name, password, pathname: `/${name}` });
  const applied = await migrate(url.href, () => undefined);
  expect(applied.length).toBeGreaterThan(0);
  expect(await migrate(url.href, () => undefined)).toEqual([]);
});
