import type { Command } from 'commander';
import { databaseConfig } from '../../src/config/indexer.ts';
import { migrate } from '../../src/schema/migrate.ts';
import type { CommandContext } from '../context.ts';
import { defineCommand } from '../define-command.ts';

export function makeCommand(context: CommandContext): Command {
  return defineCommand('migrate', {
    notes: `All missing migrations are applied in one transaction: either all of them or none. It is safe
to run it again, or twice at the same time.`,
    examples: ['migrate', 'migrate --json'],
  }).action(async () => {
    const { terminal } = context;
    const applied = await migrate(databaseConfig(context.env).url, (line) => terminal.say(line));
    if (applied.length === 0) terminal.say('The tables are up to date.');
    if (terminal.wantsJson) terminal.printJson({ applied });
  });
}
