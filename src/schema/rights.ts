import type pg from 'pg';
import { readServerVersion, type ServerVersion } from './server-version.ts';
import { listShownTables } from './sources/shown-tables.ts';
import { asideName } from './sources/shown-text.ts';
import { changeLogPartitions, entityTables, relationTables } from './tables.ts';

// The rights of each role of Postgres. `migrate` sets them after the migrations. Until a new table is listed here, only
// its owner can use it.

/**
 * The users of the database, least rights first. Roles are named `entity_search_…`; the owner of the tables (the
 * migrator) runs `migrate`; as the owner, it needs no grants.
 * - `api`: the API's processes, the account page included
 * - `indexer`: reindex, sync, verify, repair, status and other commands that compare tables with indices
 * - `writer`: imports, and other programs that write entities
 * - `admin`: plans, accounts, keys; reads usage and payments
 */
export const serviceRoles = ['api', 'indexer', 'writer', 'admin'] as const;
export type ServiceRole = (typeof serviceRoles)[number];

export function roleName(role: ServiceRole): string {
  return `entity_search_${role}`;
}

type Privilege = 'select' | 'insert' | 'update' | 'delete' | 'truncate' | 'maintain' | 'usage';

/** The privileges on a table, view or sequence; `columns` narrows a privilege to some columns. */
export interface Right {
  readonly privilege: Privilege;
  readonly columns?: readonly string[];
}

const of = (...privileges: readonly Privilege[]): readonly Right[] => privileges.map((privilege) => ({ privilege }));

function forEntities(rights: readonly Right[]): Readonly<Record<string, readonly Right[]>> {
  return Object.fromEntries([...entityTables, ...relationTables].map((table) => [table, rights]));
}

const read = of('select');
const readEverything = { ...forEntities(read), investments: read, entity_ids: read, schema_migrations: read };

/** Every right of every role, by table, view or sequence. Everything else is forbidden. */
export const rights: Readonly<Record<ServiceRole, Readonly<Record<string, readonly Right[]>>>> = {
  api: {
    ...readEverything,
    plans: read,
    // The account page creates members' accounts. Operators change plans and suspend accounts, but can't change a name
    // or a role.
    accounts: [
      ...read,
      { privilege: 'insert', columns: ['name', 'plan'] },
      { privilege: 'update', columns: ['plan', 'active', 'updated_at'] },
    ],
    // Keys are created, used and revoked there. A key's hash and owner never change.
    api_keys: [
      ...of('select', 'insert'),
      { privilege: 'update', columns: ['last_used_at', 'name', 'expires_at', 'revoked_at'] },
    ],
    api_key_audit: of('select', 'insert'),
    account_wallets: of('select', 'insert', 'update', 'delete'),
    account_passkeys: of('select', 'insert', 'update', 'delete'),
    account_invitations: [...read, { privilege: 'update', columns: ['used_at'] }],
    account_sessions: of('select', 'insert', 'update', 'delete'),
    // Rows never change. Expired ones are locked (for update) before they are deleted.
    account_challenges: of('select', 'insert', 'update', 'delete'),
    account_events: of('select', 'insert'),
    account_calls: of('select', 'insert', 'update', 'delete'),
    // Operators see the state of the indices.
    search_generations: read,
    search_dead_letters: read,
    search_verifications: read,
    account_minutes: of('select', 'insert', 'update'),
    account_months: of('select', 'insert', 'update'),
    x402_payments: of('select', 'insert', 'update', 'delete'),
    // The ledger is compared with the chain.
    x402_recipients: of('select', 'insert', 'update'),
    x402_audit_findings: of('select', 'insert', 'update'),
    // Responses contain the lag of the indices.
    search_lag: read,
    // For consumers that keep a copy.
    entity_removals: read,
    search_resolver: read,
    // Finds entities of a view by their slugs.
    source_entities: read,
  },
  indexer: {
    ...readEverything,
    // The resolver appends entries; pruning truncates partitions.
    search_changes: of('select', 'insert'),
    ...Object.fromEntries(changeLogPartitions.map((partition) => [partition, of('truncate')])),
    search_changes_slot: of('select', 'update'),
    // Old rows are pruned, and the last pruned row becomes a gap.
    entity_removals: [...of('select', 'insert', 'delete'), { privilege: 'update', columns: ['id'] }],
    search_resolver: of('select', 'update'),
    source_entities: of('select', 'update'),
    search_sources: read,
    search_generations: of('select', 'insert', 'update'),
    search_dead_letters: of('select', 'insert', 'update', 'delete'),
    search_verifications: of('select', 'insert', 'update'),
    search_lag: read,
    search_owner: read,
    // Filled by embed and sync.
    entity_vectors: of('select', 'insert', 'update', 'delete'),
    // Used to draw versions, and to raise them after the database has gone back.
    search_versions: of('select', 'usage', 'update'),
  },
  writer: {
    // An import ends with `analyze`, which needs `maintain`. Postgres 15 and 16 lack that right, so autovacuum updates
    // the statistics there. The change log is written by triggers, with their owner's rights.
    ...forEntities(of('select', 'insert', 'update', 'delete', 'maintain')),
    investments: read,
    schema_migrations: read,
  },
  admin: {
    plans: of('select', 'insert', 'update'),
    accounts: of('select', 'insert', 'update'),
    api_keys: of('select', 'insert', 'update'),
    // Audit rows are only added.
    api_key_audit: of('select', 'insert'),
    account_invitations: of('select', 'insert', 'update'),
    account_events: of('select', 'insert'),
    account_wallets: read,
    account_passkeys: read,
    account_sessions: [...read, { privilege: 'update', columns: ['revoked_at'] }],
    account_calls: read,
    account_minutes: read,
    account_months: read,
    x402_payments: read,
    x402_recipients: read,
    // Findings are acknowledged with a reason, and never removed.
    x402_audit_findings: [...read, { privilege: 'update', columns: ['acknowledged_at', 'note'] }],
    schema_migrations: read,
  },
};

/** Returns the rights of a role that a server knows, by table, view or sequence. Views in place of tables are only read. */
export function grantedOn(
  server: ServerVersion,
  role: ServiceRole,
  shown: readonly string[],
): readonly (readonly [relation: string, granted: readonly Right[]])[] {
  const isKnown = ({ privilege }: Right): boolean => privilege !== 'maintain' || server.major >= 17;
  return Object.entries(rights[role]).map(([relation, all]) => {
    const granted = all.filter(
      (right) => isKnown(right) && (right.privilege === 'select' || !shown.includes(relation)),
    );
    return [relation, granted] as const;
  });
}

/** Rights on the database itself, because imports stage their lines in temporary tables. */
export const databaseRights: Readonly<Record<ServiceRole, readonly ('connect' | 'temporary')[]>> = {
  api: ['connect'],
  indexer: ['connect'],
  writer: ['connect', 'temporary'],
  admin: ['connect'],
};

/** Functions that run with their owner's rights, and the roles that may call them. */
const functionRights: Readonly<Partial<Record<ServiceRole, readonly string[]>>> = {
  indexer: [
    'entity_search_affected(text, text, text, smallint, jsonb)',
    'entity_search_assign(text, jsonb, boolean)',
    'entity_search_keys(text)',
  ],
};

const sequences: readonly string[] = ['search_versions', 'search_changes_slot'];

/** Every table, view and sequence that some role has a right on. */
export function listRelations(): readonly string[] {
  return [...new Set(serviceRoles.flatMap((role) => Object.keys(rights[role])))].sort();
}

/**
 * Gives the existing roles exactly the rights above, in the caller's transaction, so that processes see either the old
 * rights or the new ones. Returns their names; none if the roles were not created, and one role does everything. The
 * client must own the tables.
 */
export async function setRights(client: pg.ClientBase): Promise<readonly string[]> {
  const present = await presentRoles(client);
  const server = await readServerVersion(client);
  const shown = await listShownTables(client);
  for (const role of present) {
    for (const statement of statementsFor(server, role, shown)) await client.query(statement);
    await setOuterRights(client, role);
  }
  return present.map(roleName);
}

export async function presentRoles(client: pg.ClientBase | pg.Pool): Promise<readonly ServiceRole[]> {
  const { rows } = await client.query<{ rolname: string }>('select rolname from pg_roles where rolname = any($1)', [
    serviceRoles.map(roleName),
  ]);
  const names = new Set(rows.map(({ rolname }) => rolname));
  return serviceRoles.filter((role) => names.has(roleName(role)));
}

/** @param shown tables that a team's views replace; the team itself grants reading them */
function statementsFor(server: ServerVersion, role: ServiceRole, shown: readonly string[]): readonly string[] {
  const name = roleName(role);
  const kindOf = (relation: string): string => (sequences.includes(relation) ? 'sequence' : 'table');
  const grants = grantedOn(server, role, shown).map(([relation, granted]) => {
    const list = granted.map(({ privilege, columns }) =>
      columns ? `${privilege} (${columns.join(', ')})` : privilege,
    );
    return `grant ${list.join(', ')} on ${kindOf(relation)} public.${relation} to ${name}`;
  });
  const calls = functionRights[role] ?? [];
  return [
    ...calls.map((signature) => `grant execute on function public.${signature} to ${name}`),
    ...[...listRelations(), ...shown.map(asideName)].map(
      (relation) => `revoke all on ${kindOf(relation)} public.${relation} from ${name}`,
    ),
    ...grants,
  ];
}

// Granted only if it is missing: the role that runs this may own the tables and not the database.
async function setOuterRights(client: pg.ClientBase, role: ServiceRole): Promise<void> {
  const name = roleName(role);
  const { rows } = await client.query<{ statement: string }>(
    `select format('grant %s on database %I to %I', wanted, current_database(), $1::text) as statement
     from unnest($2::text[]) as wanted where not has_database_privilege($1, current_database(), wanted)
     union all
     select format('grant usage on schema public to %I', $1::text) where not has_schema_privilege($1, 'public', 'usage')`,
    [name, databaseRights[role]],
  );
  for (const { statement } of rows) await client.query(statement);
}
