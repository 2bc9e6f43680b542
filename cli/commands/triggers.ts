import { type Command, Option } from 'commander';
import pg from 'pg';
import { databaseConfig } from '../../src/config/indexer.ts';
import { type KindName, kindNames } from '../../src/kinds/kind.ts';
import { clientConfig } from '../../src/postgres/pool.ts';
import type { AddedSource } from '../../src/schema/sources/derive.ts';
import { listShownTables } from '../../src/schema/sources/shown-tables.ts';
import { dropScript, triggerScript } from '../../src/schema/sources/triggers.ts';
import type { CommandContext } from '../context.ts';
import { defineCommand } from '../define-command.ts';
import { CommandError } from '../errors.ts';
import { exitCodes } from '../exit-codes.ts';

interface Flags {
  readonly kind?: KindName;
  readonly drop?: boolean;
}

const notes = `For entities in your own tables, which views of the schema search_source show (docs/existing-database.md).
Prints SQL for psql, and changes nothing: for each table that the views read, the rights that are missing, and triggers that
note which rows a statement changed. Each table has a comment with the columns that lead to entities. If there are none,
any change concerns all entities of the kind.

If that is wrong, or only a function reads a table, name the table with the columns that hold the key of an entity, and its
--kind. Without columns, any change concerns all entities of the kind.

Settings: DATABASE_URL (docs/reference/settings.md), of the role that migrates. To run the SQL, a role needs ownership of
the tables, or the right TRIGGER.
Exit codes: 0 the SQL was printed, 1 failed, 3 refused: there are no views or no triggers, 64 wrong usage.`;

export function triggersCommand(context: CommandContext): Command {
  return defineCommand('triggers', 'print triggers for your own tables', {
    notes,
    examples: [
      'triggers | psql "$DATABASE_URL" -v ON_ERROR_STOP=1',
      "triggers 'crm.comment(subject_id)' --kind people > triggers.sql",
      'triggers --drop > drop.sql',
    ],
  })
    .argument('[TABLE]', 'a table whose way to entities is not found in the views')
    .addOption(new Option('--kind <kind>', 'the kind of entities that the table is about').choices(kindNames))
    .option('--drop', 'print how to remove the triggers')
    .action(async (table: string | undefined, flags: Flags) => {
      context.terminal.stdout.write(await print(context, table, flags));
    });
}

async function print({ env }: CommandContext, table: string | undefined, flags: Flags): Promise<string> {
  const { kind, drop = false } = flags;
  if ((table === undefined) !== (kind === undefined) || (drop && table !== undefined)) {
    throw new CommandError(
      'A table and --kind go together, and without --drop. See: entity-search triggers --help',
      exitCodes.usage,
    );
  }
  const client = new pg.Client(clientConfig({ ...databaseConfig(env), applicationName: 'entity-search triggers' }));
  // A broken connection fails the running statement, which reports it.
  client.on('error', () => undefined);
  await client.connect();
  try {
    if (drop) {
      const sql = await dropScript(client);
      if (sql !== null) return sql;
      throw new CommandError('There are no triggers of entity-search.', exitCodes.refused);
    }
    if ((await listShownTables(client)).length === 0) {
      throw new CommandError(
        'No view of the schema search_source is shown. Create the views, then run: entity-search migrate',
        exitCodes.refused,
      );
    }
    if (table === undefined || kind === undefined) return await triggerScript(client);
    return await triggerScript(client, await readAdded(client, table, kind));
  } finally {
    await client.end();
  }
}

const invalidParameter = '22023';

/** Returns the table that a text names as SQL does, with its columns: `schema.table(column, …)`; by default in public. */
async function readAdded(client: pg.Client, text: string, kind: KindName): Promise<AddedSource> {
  const [, table = '', list] = /^(.*?)(?:\s*\(([^()]*)\))?$/s.exec(text.trim()) ?? [];
  const { rows } = await client
    .query<AddedSource & { missing: readonly string[] }>(
      `with named as (
         select parse_ident($1) as path, array(select (parse_ident(name))[1] from unnest($2::text[]) as name) as columns
       )
       select format('%I.%I', n.nspname, c.relname) as source, named.columns, array(
         select name from unnest(named.columns) as name
         where not exists (select from pg_attribute where attrelid = c.oid and attname = name and attnum > 0)) as missing
       from named
       join pg_namespace n on n.nspname = case cardinality(path) when 1 then 'public' when 2 then path[1] end
       join pg_class c on c.relnamespace = n.oid and c.relname = path[cardinality(path)] and c.relkind in ('r', 'p')`,
      [table, list?.split(',') ?? []],
    )
    .catch((error: unknown) => {
      if (!(error instanceof pg.DatabaseError) || error.code !== invalidParameter) throw error;
      throw new CommandError(`Write schema.table or 'schema.table(column)', as in SQL, not ${text}`, exitCodes.usage);
    });
  const [found] = rows;
  if (found === undefined) {
    throw new CommandError(
      `There is no table ${table}. Write schema.table as SQL does, with capitals and blanks in double quotes.`,
      exitCodes.refused,
    );
  }
  const { source, columns, missing } = found;
  if (missing.length > 0) throw new CommandError(`${source} has no column ${missing.join(', ')}.`, exitCodes.refused);
  return { source, kind, columns };
}
