import type { Command } from 'commander';
import pg from 'pg';
import { databaseConfig } from '../../src/config/indexer.ts';
import { clientConfig } from '../../src/postgres/pool.ts';
import { listShownTables } from '../../src/schema/sources/shown-tables.ts';
import { dropScript, triggerScript } from '../../src/schema/sources/triggers.ts';
import type { CommandContext } from '../context.ts';
import { defineCommand } from '../define-command.ts';
import { CommandError } from '../errors.ts';
import { exitCodes } from '../exit-codes.ts';

const notes = `For entities in your own tables, which views of the schema search_source show (docs/existing-database.md).
Prints SQL for psql, and changes nothing: for each table that the views read, the rights that are missing, and triggers that
note which rows a statement changed. Each table has a comment with the columns that lead to entities. If there are none,
each change re-reads all entities of the kind.

Settings: DATABASE_URL (docs/reference/settings.md), of the role that migrates. To run the SQL, a role needs ownership of
the tables, or the right TRIGGER.
Exit codes: 0 the SQL was printed, 1 failed, 3 refused: there are no views or no triggers, 64 wrong usage.`;

export function makeCommand(context: CommandContext): Command {
  return defineCommand('triggers', {
    notes,
    examples: ['triggers | psql "$DATABASE_URL" -v ON_ERROR_STOP=1', 'triggers --drop > drop.sql'],
  })
    .option('--drop', 'print how to remove the triggers')
    .action(async ({ drop = false }: { readonly drop?: boolean }) => {
      context.terminal.stdout.write(await print(context, drop));
    });
}

async function print({ env }: CommandContext, drop: boolean): Promise<string> {
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
        'No view of the schema search_source is in use. Create the views, then run: entity-search migrate',
        exitCodes.refused,
      );
    }
    return await triggerScript(client);
  } finally {
    await client.end();
  }
}
