import { randomBytes } from 'node:crypto';
import { Command } from 'commander';
import { CommandError } from '../../../indexer/errors.ts';
import { exitCodes } from '../../../indexer/exit-codes.ts';
import { apiKeyPrefix, generateApiKey, hashApiKey } from '../../../src/access/api-key.ts';
import { changeKey, createKey, type KeyRow, listKeys, revokeKey } from '../../../src/postgres/access/admin.ts';
import { actorOr, found, label, moment, positiveNumber } from '../../arguments.ts';
import type { CommandContext } from '../../context.ts';
import { withDatabase } from '../../database.ts';

interface Flags {
  readonly account?: string;
  readonly name?: string;
  readonly test?: boolean;
  /** False: `--no-expires`. */
  readonly expires?: Date | false;
  readonly actor?: string;
  readonly json?: boolean;
}

export function keysCommand(context: CommandContext): Command {
  const keys = new Command('keys').description('list, create, change and revoke API keys');
  keys.addCommand(listCommand(context), { isDefault: true });
  keys.addCommand(createCommand(context));
  keys.addCommand(changeCommand(context));
  keys.addCommand(revokeCommand(context));
  return keys;
}

function listCommand(context: CommandContext): Command {
  return new Command('list')
    .description('list keys')
    .option('--account <NAME>', 'only those of this account', label)
    .option('--json', 'print the result as JSON')
    .addHelpText('after', '\nExamples:\n  $ entity-search keys list --account "Example Ltd"')
    .action(async (flags: Flags) => {
      const rows = await withDatabase(context, (pool) => listKeys(pool, flags.account));
      context.terminal.printRows(
        rows.map((row) => ({ ...row })),
        { json: flags.json ?? false, empty: 'There are no keys. Create one with: entity-search keys create' },
      );
    });
}

function createCommand(context: CommandContext): Command {
  return new Command('create')
    .description('create a key and print it, this once')
    .requiredOption('--account <NAME>', 'the account that owns it', label)
    .requiredOption('--name <NAME>', 'what it is for', label)
    .option('--test', 'a test key (es_test_…)')
    .option('--expires <ISO>', 'when it ends; default: never', moment)
    .option('--actor <NAME>', 'who does this, for the audit; default: the user of this process', label)
    .option('--json', 'print the result as JSON')
    .addHelpText(
      'after',
      `
Only a hash of the key is stored: it can't be shown again. Two keys of an account share its limits, so a key
is replaced by creating the next one and revoking the old one later.

Examples:
  $ entity-search keys create --account "Example Ltd" --name production
  $ entity-search keys create --account "Example Ltd" --name trial --test --expires 2030-01-31`,
    )
    .action(async (flags: Flags & { readonly account: string; readonly name: string }) => {
      const key = generateApiKey(flags.test ? 'test' : 'live', randomBytes);
      const row = {
        account: flags.account,
        name: flags.name,
        prefix: apiKeyPrefix(key),
        hash: hashApiKey(key),
        expiresAt: flags.expires || null,
      };
      const created = found(
        await withDatabase(context, (pool) => createKey(pool, row, actorOr(flags.actor))),
        `There is no account ${flags.account}. Create it with: entity-search accounts create`,
      );
      context.terminal.printResult({ key, ...created }, { json: flags.json ?? false });
      context.terminal.say('Keep the key now; it is not shown again.');
    });
}

function changeCommand(context: CommandContext): Command {
  return new Command('change')
    .description("change a key's name or end")
    .argument('<ID>', 'its id, as keys list shows it', positiveNumber)
    .option('--name <NAME>', 'its new name', label)
    .option('--expires <ISO>', 'when it ends', moment)
    .option('--no-expires', 'let it never end')
    .option('--actor <NAME>', 'who does this, for the audit; default: the user of this process', label)
    .option('--json', 'print the result as JSON')
    .addHelpText('after', '\nExamples:\n  $ entity-search keys change 12 --expires 2030-01-31T12:00:00Z')
    .action(async (id: number, flags: Flags, command: Command) => {
      // Commander gives an option that has a `--no-` form the value true where neither was said.
      const said = command.getOptionValueSource('expires') === 'cli';
      const change = { name: flags.name, expiresAt: said ? flags.expires || null : undefined };
      if (change.name === undefined && change.expiresAt === undefined) {
        throw new CommandError('Give --name, --expires or --no-expires.', exitCodes.usage);
      }
      const row = await withDatabase(context, (pool) => changeKey(pool, id, change, actorOr(flags.actor)));
      print(context, found(row, missing(id)), flags);
    });
}

function revokeCommand(context: CommandContext): Command {
  return new Command('revoke')
    .description('end a key for good')
    .argument('<ID>', 'its id, as keys list shows it', positiveNumber)
    .option('--actor <NAME>', 'who does this, for the audit; default: the user of this process', label)
    .option('--json', 'print the result as JSON')
    .addHelpText('after', '\nExamples:\n  $ entity-search keys revoke 12')
    .action(async (id: number, flags: Flags) => {
      const answer = await withDatabase(context, (pool) => revokeKey(pool, id, actorOr(flags.actor)));
      const { key, revoked } = found(answer, missing(id));
      if (!revoked) context.terminal.say(`Key ${id} was revoked before.`);
      print(context, key, flags);
    });
}

function print(context: CommandContext, row: KeyRow, flags: Flags): void {
  context.terminal.printResult({ ...row }, { json: flags.json ?? false });
}

function missing(id: number): string {
  return `There is no key ${id}. See: entity-search keys list`;
}
