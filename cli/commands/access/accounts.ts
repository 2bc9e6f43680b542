import { Command } from 'commander';
import type pg from 'pg';
import { CommandError, codeOf } from '../../../indexer/errors.ts';
import { exitCodes } from '../../../indexer/exit-codes.ts';
import { type AccountRow, changeAccount, createAccount, listAccounts } from '../../../src/postgres/access/admin.ts';
import { activeFlag, label, planName } from '../../arguments.ts';
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
    .description('list, create and change accounts: who owns keys')
    .addCommand(listCommand(context), { isDefault: true })
    .addCommand(createCommand(context))
    .addCommand(changeCommand(context));
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
      return printRow(context, flags, change, `There is no account ${name}. See: entity-search accounts list`);
    });
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
