import { randomBytes } from 'node:crypto';
import { userInfo } from 'node:os';
import { Command, Option } from 'commander';
import type pg from 'pg';
import { CommandError } from '../../../indexer/errors.ts';
import { exitCodes } from '../../../indexer/exit-codes.ts';
import { apiKeyPrefix, generateApiKey, hashApiKey } from '../../../src/access/api-key.ts';
import { changeKey, createKey, listKeys, revokeKey } from '../../../src/postgres/access/admin.ts';
import { label, moment, positiveNumber } from '../../arguments.ts';
import { withDatabase } from '../../connections.ts';
import type { CommandContext } from '../../context.ts';
import { printList, printRow } from './print.ts';

interface Flags {
  readonly account?: string;
  readonly name?: string;
  readonly test?: boolean;
  /** False: `--no-expires`. */
  readonly expires?: Date | false;
  readonly actor?: string;
  readonly json?: boolean;
}

/** The option `--actor`, and whom it names unless given: the user of this process. */
const actorOption = (): Option =>
  new Option('--actor <NAME>', 'who does this, for the audit; default: the user of this process').argParser(label);
const actorOf = ({ actor }: Flags): string => actor ?? userInfo().username;

export function keysCommand(context: CommandContext): Command {
  return new Command('keys')
    .description('list, create, change and revoke API keys')
    .addCommand(listCommand(context), { isDefault: true })
    .addCommand(createCommand(context))
    .addCommand(changeCommand(context))
    .addCommand(revokeCommand(context));
}

function listCommand(context: CommandContext): Command {
  return new Command('list')
    .description('list keys')
    .option('--account <NAME>', 'only those of this account', label)
    .option('--json', 'print the result as JSON')
    .addHelpText('after', '\nExamples:\n  $ entity-search keys list --account "Example Ltd"')
    .action((flags: Flags) => {
      const query = (pool: pg.Pool) => listKeys(pool, flags.account);
      return printList(context, flags, query, 'There are no keys. Create one with: entity-search keys create');
    });
}

function createCommand(context: CommandContext): Command {
  return new Command('create')
    .description('create a key and print it, this once')
    .requiredOption('--account <NAME>', 'the account that owns it', label)
    .requiredOption('--name <NAME>', 'what it is for', label)
    .option('--test', 'a test key (es_test_…)')
    .option('--expires <ISO>', 'when it ends; default: never', moment)
    .addOption(actorOption())
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
      const { account, name } = flags;
      const key = generateApiKey(flags.test ? 'test' : 'live', randomBytes);
      const row = { account, name, prefix: apiKeyPrefix(key), hash: hashApiKey(key), expiresAt: flags.expires || null };
      const create = async (pool: pg.Pool) => {
        const created = await createKey(pool, row, actorOf(flags));
        return created && { key, ...created };
      };
      const otherwise = `There is no account ${account}. Create it with: entity-search accounts create`;
      await printRow(context, flags, create, otherwise);
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
    .addOption(actorOption())
    .option('--json', 'print the result as JSON')
    .addHelpText('after', '\nExamples:\n  $ entity-search keys change 12 --expires 2030-01-31T12:00:00Z')
    .action(async (id: number, flags: Flags, command: Command) => {
      // Commander gives an option that has a `--no-` form the value true where neither was given.
      const given = command.getOptionValueSource('expires') === 'cli';
      const change = { name: flags.name, expiresAt: given ? flags.expires || null : undefined };
      if (change.name === undefined && change.expiresAt === undefined) {
        throw new CommandError('Give --name, --expires or --no-expires.', exitCodes.usage);
      }
      await printRow(context, flags, (pool) => changeKey(pool, id, change, actorOf(flags)), missing(id));
    });
}

function revokeCommand(context: CommandContext): Command {
  return new Command('revoke')
    .description('end a key for good')
    .argument('<ID>', 'its id, as keys list shows it', positiveNumber)
    .addOption(actorOption())
    .option('--json', 'print the result as JSON')
    .addHelpText('after', '\nExamples:\n  $ entity-search keys revoke 12')
    .action(async (id: number, flags: Flags) => {
      const answer = await withDatabase(context, (pool) => revokeKey(pool, id, actorOf(flags)));
      if (answer === null) throw new CommandError(missing(id));
      if (!answer.revoked) context.terminal.say(`Key ${id} was revoked before.`);
      context.terminal.printResult(answer.key, flags);
    });
}

function missing(id: number): string {
  return `There is no key ${id}. See: entity-search keys list`;
}
