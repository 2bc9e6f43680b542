import { Command } from 'commander';
import { CommandError } from '../../../indexer/errors.ts';
import { exitCodes } from '../../../indexer/exit-codes.ts';
import {
  changePlan,
  createPlan,
  listPlans,
  type PlanLimits,
  type PlanRow,
} from '../../../src/postgres/access/admin.ts';
import { found, perMinute, planName, positiveNumber } from '../../arguments.ts';
import type { CommandContext } from '../../context.ts';
import { withDatabase } from '../../database.ts';

interface Flags {
  readonly perMinute?: number;
  readonly perMonth?: number;
  readonly unlimited?: boolean;
  readonly active?: boolean;
  readonly inactive?: boolean;
  readonly json?: boolean;
}

export function plansCommand(context: CommandContext): Command {
  const plans = new Command('plans').description('list, create and change plans: how much an account may call');
  plans.addCommand(listCommand(context), { isDefault: true });
  plans.addCommand(
    withLimits(new Command('create').description('create a plan').argument('<NAME>', 'its name', planName))
      .option('--json', 'print the result as JSON')
      .addHelpText(
        'after',
        `
A limit that is not given does not exist; a plan without any says so with --unlimited.

Examples:
  $ entity-search plans create partner --per-minute 600 --per-month 1000000
  $ entity-search plans create internal --unlimited`,
      )
      .action(async (name: string, flags: Flags) => {
        if (Object.keys(limitsOf(flags)).length === 0) {
          throw new CommandError('Give --per-minute, --per-month or --unlimited.', exitCodes.usage);
        }
        const limits = { calls_per_minute: null, calls_per_month: null, ...limitsOf(flags) };
        await answer(context, flags, (pool) => createPlan(pool, name, limits), `A plan ${name} is there already.`);
      }),
  );
  plans.addCommand(
    withLimits(new Command('change').description('change limits').argument('<NAME>', 'the plan', planName))
      .option('--active', 'let its accounts call again')
      .option('--inactive', 'refuse calls of its accounts (403)')
      .option('--json', 'print the result as JSON')
      .addHelpText('after', '\nExamples:\n  $ entity-search plans change growth --per-minute 400')
      .action(async (name: string, flags: Flags) => {
        const active = activeOf(flags);
        const change = { ...limitsOf(flags), ...(active === undefined ? {} : { active }) };
        if (Object.keys(change).length === 0) {
          throw new CommandError('Say what to change; see entity-search plans change --help.', exitCodes.usage);
        }
        await answer(context, flags, (pool) => changePlan(pool, name, change), missing(name));
      }),
  );
  plans.addCommand(
    new Command('deactivate')
      .description('refuse calls of its accounts (403)')
      .argument('<NAME>', 'the plan', planName)
      .option('--json', 'print the result as JSON')
      .addHelpText('after', '\nExamples:\n  $ entity-search plans deactivate partner')
      .action((name: string, flags: Flags) =>
        answer(context, flags, (pool) => changePlan(pool, name, { active: false }), missing(name)),
      ),
  );
  return plans;
}

function listCommand(context: CommandContext): Command {
  return new Command('list')
    .description('list all plans')
    .option('--json', 'print the result as JSON')
    .addHelpText('after', '\nExamples:\n  $ entity-search plans list\n  $ entity-search plans list --json')
    .action(async (flags: Flags) => {
      const rows = await withDatabase(context, listPlans);
      context.terminal.printRows(
        rows.map((row) => ({ ...row })),
        { json: flags.json ?? false, empty: 'There are no plans. Create one with: entity-search plans create' },
      );
    });
}

function withLimits(command: Command): Command {
  return command
    .option('--per-minute <N>', 'calls a minute', perMinute)
    .option('--per-month <N>', 'calls a month (UTC)', positiveNumber)
    .option('--unlimited', 'no limits');
}

function limitsOf(flags: Flags): Partial<PlanLimits> {
  if (flags.unlimited && (flags.perMinute !== undefined || flags.perMonth !== undefined)) {
    throw new CommandError('--unlimited excludes --per-minute and --per-month.', exitCodes.usage);
  }
  if (flags.unlimited) return { calls_per_minute: null, calls_per_month: null };
  return {
    ...(flags.perMinute === undefined ? {} : { calls_per_minute: flags.perMinute }),
    ...(flags.perMonth === undefined ? {} : { calls_per_month: flags.perMonth }),
  };
}

/** True, false, or undefined where neither was said. */
export function activeOf(flags: { readonly active?: boolean; readonly inactive?: boolean }): boolean | undefined {
  if (flags.active && flags.inactive) {
    throw new CommandError('--active and --inactive exclude each other.', exitCodes.usage);
  }
  if (flags.active) return true;
  return flags.inactive ? false : undefined;
}

function missing(name: string): string {
  return `There is no plan ${name}. See: entity-search plans list`;
}

async function answer(
  context: CommandContext,
  flags: Flags,
  work: (pool: Parameters<typeof listPlans>[0]) => Promise<PlanRow | null>,
  otherwise: string,
): Promise<void> {
  const row = found(await withDatabase(context, work), otherwise);
  context.terminal.printResult({ ...row }, { json: flags.json ?? false });
}
