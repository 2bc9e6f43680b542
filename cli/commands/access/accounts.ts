import { Command, Option } from 'commander';
import { callDaysMax } from '../../../src/access/calls.ts';
import {
  type AccountRow,
  changeAccount,
  createAccount,
  findAccountId,
  listAccounts,
} from '../../../src/postgres/access/admin.ts';
import { readCallCounts } from '../../../src/postgres/access/call-counts.ts';
import { type ActiveFlags, activeFlag, label, planName, positiveNumber } from '../../arguments.ts';
import { withDatabase } from '../../connections.ts';
import type { CommandContext } from '../../context.ts';
import { defineCommand } from '../../define-command.ts';
import { CommandError } from '../../errors.ts';
import { exitCodes } from '../../exit-codes.ts';
import { inviteCommand } from './invite.ts';
import { type Actor, addActorOption, onPlan, printList, printRow } from './shared.ts';

interface Flags extends ActiveFlags {
  readonly plan?: string;
  readonly role?: AccountRow['role'];
}

export function makeCommand(context: CommandContext): Command {
  const accounts = new Command('accounts');
  const actor = addActorOption(accounts);
  return accounts
    .addCommand(listCommand(context), { isDefault: true })
    .addCommand(createCommand(context, actor))
    .addCommand(changeCommand(context, actor))
    .addCommand(inviteCommand(context, actor))
    .addCommand(usageCommand(context));
}

function listCommand(context: CommandContext): Command {
  return defineCommand('list', { description: 'list all accounts', examples: ['accounts list'] }).action(() =>
    printList(context, listAccounts, 'There are no accounts. Create one with: entity-search accounts create'),
  );
}

function createCommand(context: CommandContext, actor: Actor): Command {
  return defineCommand('create', {
    description: 'create an account',
    examples: ['accounts create "Example Ltd" --plan starter'],
  })
    .argument('<NAME>', 'its name', label)
    .requiredOption('--plan <PLAN>', 'the plan', planName)
    .action((name: string, flags: { readonly plan: string }) => {
      const create = onPlan(flags.plan, (pool) => createAccount(pool, name, flags.plan, actor()));
      return printRow(context, create, `An account ${name} exists already.`);
    });
}

function changeCommand(context: CommandContext, actor: Actor): Command {
  return defineCommand('change', {
    description: 'change its plan, whether it may call, or what it may see',
    notes: `Operators see all accounts, indices and payments on the account page, and may suspend accounts, change their
plans and revoke their keys there.`,
    examples: [
      'accounts change "Example Ltd" --plan growth',
      'accounts change "Example Ltd" --inactive',
      'accounts change "Our Team" --role operator',
    ],
  })
    .argument('<NAME>', 'the account', label)
    .option('--plan <PLAN>', 'the new plan', planName)
    .addOption(new Option('--active', 'let it call again').conflicts('inactive'))
    .option('--inactive', 'refuse its calls and its sessions (403)')
    .addOption(new Option('--role <ROLE>', 'what it may see on the account page').choices(['member', 'operator']))
    .action((name: string, flags: Flags) => {
      const changes = { plan: flags.plan, active: activeFlag(flags), role: flags.role };
      if (Object.values(changes).every((value) => value === undefined)) {
        throw new CommandError('Give --plan, --active, --inactive or --role.', exitCodes.usage);
      }
      const change = onPlan(flags.plan, (pool) => changeAccount(pool, name, changes, actor()));
      return printRow(context, change, missing(name));
    });
}

function usageCommand(context: CommandContext): Command {
  return defineCommand('usage', {
    description: 'show what an account has called, by day (UTC), endpoint and outcome',
    notes: `Calls are counted by what they cost, and by one each where they cost nothing. The outcome is "answered", or the
code of the error.`,
    examples: ['accounts usage "Example Ltd"', 'accounts usage "Example Ltd" --days 7 --json'],
  })
    .argument('<NAME>', 'the account', label)
    .option('--days <N>', `how many days back, today included; at most ${callDaysMax}`, positiveNumber, callDaysMax)
    .action(async (name: string, { days }: { readonly days: number }) => {
      const rows = await withDatabase(context, async (pool) => {
        const id = await findAccountId(pool, name);
        return id === null ? null : readCallCounts(pool, id, Math.min(days, callDaysMax));
      });
      if (rows === null) throw new CommandError(missing(name));
      context.terminal.printRows(rows, `${name} made no calls in this time.`);
    });
}

function missing(name: string): string {
  return `There is no account ${name}. See: entity-search accounts list`;
}
