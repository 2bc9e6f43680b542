import { Command } from 'commander';
import type pg from 'pg';
import { CommandError, codeOf } from '../../../indexer/errors.ts';
import { exitCodes } from '../../../indexer/exit-codes.ts';
import { callDaysMax } from '../../../src/access/calls.ts';
import {
  type AccountRow,
  changeAccount,
  createAccount,
  findAccountId,
  listAccounts,
} from '../../../src/postgres/access/admin.ts';
import { readCallCounts } from '../../../src/postgres/access/call-counts.ts';
import { activeFlag, label, planName, positiveNumber } from '../../arguments.ts';
import { withDatabase } from '../../connections.ts';
import type { CommandContext } from '../../context.ts';
import { resultCommand } from '../../result-command.ts';
import { printList, printRow } from './print.ts';

interface Flags {
  readonly plan?: string;
  readonly active?: boolean;
  readonly inactive?: boolean;
  readonly json?: boolean;
}

export function accountsCommand(context: CommandContext): Command {
  return new Command('accounts')
    .description('list, create and change accounts: who owns keys; show what they call')
    .addCommand(listCommand(context), { isDefault: true })
    .addCommand(createCommand(context))
    .addCommand(changeCommand(context))
    .addCommand(usageCommand(context));
}

function listCommand(context: CommandContext): Command {
  return resultCommand('list', 'list all accounts', {
    examples: ['accounts list'],
  }).action((flags: Flags) =>
    printList(context, flags, listAccounts, 'There are no accounts. Create one with: entity-search accounts create'),
  );
}

function createCommand(context: CommandContext): Command {
  return resultCommand('create', 'create an account', {
    examples: ['accounts create "Example Ltd" --plan starter'],
  })
    .argument('<NAME>', 'its name', label)
    .requiredOption('--plan <PLAN>', 'the plan', planName)
    .action((name: string, flags: Flags & { readonly plan: string }) => {
      const create = onPlan(flags.plan, (pool) => createAccount(pool, name, flags.plan));
      return printRow(context, flags, create, `An account ${name} exists already.`);
    });
}

function changeCommand(context: CommandContext): Command {
  return resultCommand('change', 'change its plan, or whether it may call', {
    examples: ['accounts change "Example Ltd" --plan growth', 'accounts change "Example Ltd" --inactive'],
  })
    .argument('<NAME>', 'the account', label)
    .option('--plan <PLAN>', 'the new plan', planName)
    .option('--active', 'let it call again')
    .option('--inactive', 'refuse its calls (403)')
    .action((name: string, flags: Flags) => {
      const changes = { plan: flags.plan, active: activeFlag(flags) };
      if (changes.plan === undefined && changes.active === undefined) {
        throw new CommandError('Give --plan, --active or --inactive.', exitCodes.usage);
      }
      const change = onPlan(flags.plan, (pool) => changeAccount(pool, name, changes));
      return printRow(context, flags, change, missing(name));
    });
}

function usageCommand(context: CommandContext): Command {
  return resultCommand('usage', 'show what an account has called, by day (UTC), endpoint and outcome', {
    notes: `Calls are counted by what they cost, and by one each where they cost nothing. The outcome is "answered", or the
code of the error.`,
    examples: ['accounts usage "Example Ltd"', 'accounts usage "Example Ltd" --days 7 --json'],
  })
    .argument('<NAME>', 'the account', label)
    .option('--days <N>', `how many days back, today included; default and most: ${callDaysMax}`, positiveNumber)
    .action(async (name: string, flags: Flags & { readonly days?: number }) => {
      const days = Math.min(flags.days ?? callDaysMax, callDaysMax);
      const rows = await withDatabase(context, async (pool) => {
        const id = await findAccountId(pool, name);
        return id === null ? null : readCallCounts(pool, id, days);
      });
      if (rows === null) throw new CommandError(missing(name));
      context.terminal.printRows(rows, flags, `${name} has called nothing in this time.`);
    });
}

function missing(name: string): string {
  return `There is no account ${name}. See: entity-search accounts list`;
}

const foreignKeyViolation = '23503';

/** The query, which says so where there is no such plan. */
function onPlan(plan: string | undefined, query: (pool: pg.Pool) => Promise<AccountRow | null>): typeof query {
  return async (pool) => {
    try {
      return await query(pool);
    } catch (cause) {
      if (codeOf(cause) !== foreignKeyViolation) throw cause;
      const message = `There is no plan ${plan}. See: entity-search plans list`;
      throw new CommandError(message, exitCodes.failed, { cause });
    }
  };
}
