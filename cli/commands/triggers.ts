import { type Command, InvalidArgumentError, Option } from 'commander';
import pg from 'pg';
import { databaseConfig } from '../../src/config/indexer.ts';
import { type KindName, kindNames } from '../../src/kinds/kind.ts';
import { clientConfig } from '../../src/postgres/pool.ts';
import { BaseTableError } from '../../src/schema/sources/base-table.ts';
import { parseColumns, parseTable, type TableReference } from '../../src/schema/sources/identifiers.ts';
import { planTriggers } from '../../src/schema/sources/trigger-plan.ts';
import { dropSql, triggerSql } from '../../src/schema/sources/trigger-sql.ts';
import type { CommandContext } from '../context.ts';
import { defineCommand } from '../define-command.ts';
import { CommandError } from '../errors.ts';
import { exitCodes } from '../exit-codes.ts';

interface Flags {
  readonly kind: KindName;
  readonly children?: readonly TableReference[];
  readonly lookups?: readonly TableReference[];
  readonly shown?: readonly string[];
  readonly ignore?: readonly string[];
  readonly drop?: boolean;
}

const notes = `For entities in your own tables, which views put in place of ours (docs/existing-database.md). Prints SQL
for psql, and changes nothing: statement triggers that note in the writer's transaction which documents a change is about.
If an entity's key is not an integer, it also prints the table search_source.KIND_ids, which assigns each key a permanent
id.

TABLE is schema.table, written as in SQL: capitals and blanks within double quotes. The columns that hold an entity's key
may follow in brackets. Without them they are, of the first TABLE, its primary key, and of all others the foreign key to
the first TABLE.
  TABLE...    the entities, and what they are called, if that is in a table of its own
  --children  rows that belong to one entity, such as tags, jobs, addresses
  --lookups   rows that any number of entities show, such as countries: a change has every document of the kind read again

Without --shown, any change of an entity has the documents of other kinds that show it read again. With --ignore, an
update of only these columns notes nothing.

Settings: DATABASE_URL (docs/reference/settings.md). The role needs no right on the tables to print the SQL. To run it:
ownership of the tables, or the right TRIGGER.
Exit codes: 0 the SQL was printed, 1 failed, 3 refused: a table can't be used that way, 64 wrong usage.`;

export function triggersCommand(context: CommandContext): Command {
  const columns = (text: string, before: readonly string[] | undefined) => [...(before ?? []), ...columnList(text)];
  const tables = (text: string, before: readonly TableReference[] | undefined) => [...(before ?? []), tableName(text)];
  return defineCommand('triggers', 'print triggers for your own tables', {
    notes,
    examples: [
      'triggers crm.org --children crm.org_tag --shown name slug --kind companies | psql "$DATABASE_URL" -v ON_ERROR_STOP=1',
      "triggers crm.person 'crm.person_name(owner)' --children 'crm.job(person_id)' --kind people",
      `triggers '"Sales Dept"."Org"("Org Id")' --lookups crm.country --ignore last_seen --kind companies`,
      'triggers --drop --kind companies',
    ],
  })
    .argument('[TABLE...]', 'the tables that hold the entities', tables)
    .addOption(new Option('--kind <kind>', 'what the entities are').choices(kindNames).makeOptionMandatory())
    .addOption(new Option('--children <table...>', 'tables whose rows belong to one entity').argParser(tables))
    .addOption(new Option('--lookups <table...>', 'tables whose rows many entities show').argParser(tables))
    .addOption(
      new Option('--shown <column...>', 'what documents of other kinds show: name and slug').argParser(columns),
    )
    .addOption(new Option('--ignore <column...>', 'columns that no document shows').argParser(columns))
    .option('--drop', 'print how to take the triggers back')
    .action(async (entities: readonly TableReference[] | undefined, flags: Flags) => {
      context.terminal.stdout.write(await print(context, entities ?? [], flags));
    });
}

async function print({ env }: CommandContext, entities: readonly TableReference[], flags: Flags): Promise<string> {
  const { kind, children = [], lookups = [], shown = null, ignore: ignored = [], drop = false } = flags;
  if ((entities.length === 0) !== drop) {
    throw new CommandError(
      'Name the table that holds the entities, or give --drop. See: entity-search triggers --help',
      exitCodes.usage,
    );
  }
  const client = new pg.Client(clientConfig({ ...databaseConfig(env), applicationName: 'entity-search triggers' }));
  // A broken connection fails the running statement, which reports it.
  client.on('error', () => undefined);
  await client.connect();
  try {
    if (!drop) {
      return triggerSql(await planTriggers(client, { kind, entities, children, lookups, shown, ignored }));
    }
    const sql = await dropSql(client, kind);
    if (sql !== null) return sql;
    throw new CommandError(`There are no triggers of entity-search for ${kind}.`, exitCodes.refused);
  } catch (error) {
    if (!(error instanceof BaseTableError)) throw error;
    throw new CommandError(error.message, exitCodes.refused, { cause: error });
  } finally {
    await client.end();
  }
}

function tableName(text: string): TableReference {
  const parsed = parseTable(text);
  if (parsed !== undefined) return parsed;
  throw new InvalidArgumentError(`Write schema.table or 'schema.table(column)', as in SQL, not ${text}`);
}

function columnList(text: string): readonly string[] {
  const parsed = parseColumns(text);
  if (parsed !== undefined) return parsed;
  throw new InvalidArgumentError(`Write column names as in SQL, not ${text}`);
}
