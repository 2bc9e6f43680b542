import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { withClient } from '../../../dev/engines/postgres/client.ts';
import { migrate } from '../../../src/schema/migrate.ts';
import { roleName, type ServiceRole, serviceRoles } from '../../../src/schema/rights.ts';
import { requiredEnv } from '../jest/required-env.ts';
import { dropDatabase } from './database.ts';

/** A database as in compose: its owner is not a superuser, and four other roles own nothing. */
export interface RolesDatabase extends AsyncDisposable {
  /** The address for the owner, which migrates. */
  readonly ownerUrl: string;
  /** The address for the server's superuser. */
  readonly superuserUrl: string;
  urlOf(role: ServiceRole): string;
}

const owner = 'entity_search';
/** The password is only for servers that tests start. */
const passwordOf = (role: string): string => `test-password-of-${role}`;

/**
 * Roles belong to the whole server, so they are created once, before the first test, and stay. Otherwise they would
 * lack rights in databases that were migrated before.
 */
export async function ensureRoles(client: pg.Client): Promise<void> {
  await client.query(`select pg_advisory_lock(hashtext('entity-search test roles'))`);
  for (const role of [owner, ...serviceRoles.map(roleName)]) {
    const { rows } = await client.query('select from pg_roles where rolname = $1', [role]);
    const verb = rows.length === 0 ? 'create' : 'alter';
    await client.query(`${verb} role ${role} login password ${pg.escapeLiteral(passwordOf(role))}`);
  }
  await client.query(`select pg_advisory_unlock(hashtext('entity-search test roles'))`);
}

/** Returns the address of a database for a role. The database must have been migrated after the roles were created. */
export function asRole(url: string, role: ServiceRole): string {
  return withUser(url, roleName(role));
}

function withUser(url: string, role: string): string {
  const changed = new URL(url);
  changed.username = role;
  changed.password = passwordOf(role);
  return changed.href;
}

/** Creates missing roles, and grants them their rights in another test's database. */
export async function addRoles(databaseUrl: string): Promise<void> {
  await withClient(databaseUrl, ensureRoles);
  await migrate(databaseUrl, () => undefined);
}

/** Creates a migrated database with the roles. `await using` drops it. */
export async function createRolesDatabase(): Promise<RolesDatabase> {
  const server = requiredEnv('TEST_DATABASE_URL');
  const name = `roles_${randomUUID().replaceAll('-', '')}`;
  await withClient(server, async (client) => {
    await ensureRoles(client);
    await client.query(`create database ${name} owner ${owner}`);
    await client.query(`revoke all on database ${name} from public`);
  });
  const url = new URL(server);
  url.pathname = `/${name}`;
  const ownerUrl = withUser(url.href, owner);
  await migrate(ownerUrl, () => undefined);
  return {
    ownerUrl,
    superuserUrl: url.href,
    urlOf: (role) => asRole(url.href, role),
    [Symbol.asyncDispose]: () => dropDatabase(name),
  };
}
