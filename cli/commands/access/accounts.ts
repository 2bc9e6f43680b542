import { Command } from 'commander';
import { CommandError, codeOf } from '../../../indexer/errors.ts';
import { exitCodes } from '../../../indexer/exit-codes.ts';
import { type AccountRow, changeAccount, createAccount, listAccounts } from '../../../src/postgres/access/admin.ts';
import { found, label, planName } from '../../arguments.ts';
import type { CommandContext } from '../../context.ts';
import { withDatabase } from '../../database.ts';
import { activeOf } from './plans.ts';

interface Flags {
  readonly plan?: string;
  readonly active?: boolean;
  readonly inactive?: boolean;
  readonly json?: boolean;
}

export function accountsCommand(context: CommandContext): Command {
  const accounts = new Command('accounts').description('list, create and change accounts: who owns keys');
  accounts.addCommand(
    new Command('list')
      .description('list all accounts')
      .option('--json', 'print the result as JSON')
      .addHelpText('after', '\nExamples:\n  $ entity-search accounts list')
      .action(async (flags: Flags) => {
        const rows = await withDatabase(context, listAccounts);
        context.terminal.printRows(
          rows.map((row) => ({ ...row })),
          { json: flags.json ?? false, empty: 'There are no accounts. Create one with: entity-search accounts create' },
        );
      }),
    { isDefault: true },
  );
  accounts.addCommand(
    new Command('create')
      .description('create an account')
      .argument('<NAME>', 'its name', label)
      .requiredOption('--plan <PLAN>', 'the plan', planName)
      .option('--json', 'print the result as JSON')
      .addHelpText('after', '\nExamples:\n  $ entity-search accounts create "Example Ltd" --plan starter')
      .action((name: string, flags: Flags & { readonly plan: string }) =>
        answer(context, flags, (pool) => createAccount(pool, name, flags.plan), `An account ${name} is there already.`),
      ),
  );
  accounts.addCommand(
    new Command('change')
      .description('change its plan, or whether it may call')
      .argument('<NAME>', 'the account', label)
      .option('--plan <PLAN>', 'the new plan', planName)
      .option('--active', 'let it call again')
      .option('--inactive', 'refuse its calls (403)')
      .option('--json', 'print the result as JSON')
      .addHelpText(
        'after',
        `
Examples:
  $ entity-search accounts change "Example Ltd" --plan growth
  $ entity-search accounts change "Example Ltd" --inactive`,
      )
      .action((name: string, flags: Flags) => {
        const change = { plan: flags.plan, active: activeOf(flags) };
        if (change.plan === undefined && change.active === undefined) {
          throw new CommandError('Give --plan, --active or --inactive.', exitCodes.usage);
        }
        const missing = `There is no account ${name}. See: entity-search accounts list`;
        return answer(context, flags, (pool) => changeAccount(pool, name, change), missing);
      }),
  );
  return accounts;
}

async function answer(
  context: CommandContext,
  flags: Flags,
  work: (pool: Parameters<typeof listAccounts>[0]) => Promise<AccountRow | null>,
  otherwise: string,
): Promise<void> {
  const row = found(await withDatabase(context, (pool) => work(pool).catch(explainUnknownPlan(flags.plan))), otherwise);
  context.terminal.printResult({ ...row }, { json: flags.json ?? false });
}

const foreignKeyViolation = '23503';

function explainUnknownPlan(plan: string | undefined): (error: unknown) => never {
  return (error) => {
    if (codeOf(error) !== foreignKeyViolation) throw error;
    throw new CommandError(`There is no plan ${plan}. See: entity-search plans list`, exitCodes.failed, {
      cause: error,
    });
  };
}
