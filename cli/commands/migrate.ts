import { Command } from 'commander';
import { refuseTransactionPooling } from '../../indexer/transaction-pooling.ts';
import { databaseConfig } from '../../src/config/indexer.ts';
import { migrate } from '../../src/schema/migrate.ts';
import type { CommandContext } from '../context.ts';

export function migrateCommand(context: CommandContext): Command {
  return new Command('migrate')
    .description("bring the database's tables to this version")
    .option('--json', 'print the result as JSON')
    .addHelpText(
      'after',
      `
All missing migrations are applied in one transaction: either all of them or none. Running it again does
nothing, and two at once are fine.

Examples:
  $ entity-search migrate
  $ DATABASE_URL=postgres://user@127.0.0.1/entity_search entity-search migrate --json`,
    )
    .action(async (flags: { readonly json?: boolean }) => {
      const { terminal } = context;
      await refuseTransactionPooling(context.env);
      const applied = await migrate(databaseConfig(context.env).url, (line) => terminal.say(line));
      if (applied.length === 0) terminal.say('The tables are up to date.');
      if (terminal.wantsJson(flags)) terminal.printJson({ applied });
    });
}
