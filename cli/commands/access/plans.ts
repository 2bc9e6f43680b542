import { Command } from 'commander';
import { CommandError } from '../../../indexer/errors.ts';
import { exitCodes } from '../../../indexer/exit-codes.ts';
import { changePlan, createPlan, listPlans, type PlanLimits } from '../../../src/postgres/access/admin.ts';
import { activeFlag, perMinute, planName, positiveNumber } from '../../arguments.ts';
import type { CommandContext } from '../../context.ts';
import { printList, printRow } from './print.ts';

interface Flags {
  readonly perMinute?: number;
  readonly perMonth?: number;
  readonly unlimited?: boolean;
  readonly active?: boolean;
  readonly inactive?: boolean;
  readonly json?: boolean;
}

export function plansCommand(context: CommandContext): Command {
  return new Command('plans')
    .description('list, create and change plans: how much an account may call')
    .addCommand(listCommand(context), { isDefault: true })
    .addCommand(createCommand(context))
    .addCommand(changeCommand(context))
    .addCommand(deactivateCommand(context));
}

function listCommand(context: CommandContext): Command {
  return new Command('list')
    .description('list all plans')
    .option('--json', 'print the result as JSON')
    .addHelpText('after', '\nExamples:\n  $ entity-search plans list\n  $ entity-search plans list --json')
    .action((flags: Flags) =>
      printList(context, flags, listPlans, 'There are no plans. Create one with: entity-search plans create'),
    );
}

function createCommand(context: CommandContext): Command {
  return withLimits(new Command('create').description('create a plan').argument('<NAME>', 'its name', planName))
    .option('--json', 'print the result as JSON')
    .addHelpText(
      'after',
      `
A limit that is not given does not exist; a plan without any says so with --unlimited.

Examples:
  $ entity-search plans create partner --per-minute 600 --per-month 1000000
  $ entity-search plans create internal --unlimited`,
    )
    .action((name: string, flags: Flags) => {
      const given = limitsOf(flags);
      if (Object.keys(given).length === 0) {
        throw new CommandError('Give --per-minute, --per-month or --unlimited.', exitCodes.usage);
      }
      const limits = { calls_per_minute: null, calls_per_month: null, ...given };
      return printRow(context, flags, (pool) => createPlan(pool, name, limits), `A plan ${name} exists already.`);
    });
}

function changeCommand(context: CommandContext): Command {
  return withLimits(new Command('change').description('change limits').argument('<NAME>', 'the plan', planName))
    .option('--active', 'let its accounts call again')
    .option('--inactive', 'refuse calls of its accounts (403)')
    .option('--json', 'print the result as JSON')
    .addHelpText('after', '\nExamples:\n  $ entity-search plans change growth --per-minute 400')
    .action((name: string, flags: Flags) => {
      const active = activeFlag(flags);
      const change = { ...limitsOf(flags), ...(active === undefined ? {} : { active }) };
      if (Object.keys(change).length === 0) {
        throw new CommandError('Say what to change; see entity-search plans change --help.', exitCodes.usage);
      }
      return printRow(context, flags, (pool) => changePlan(pool, name, change), missing(name));
    });
}

function deactivateCommand(context: CommandContext): Command {
  return new Command('deactivate')
    .description('refuse calls of its accounts (403)')
    .argument('<NAME>', 'the plan', planName)
    .option('--json', 'print the result as JSON')
    .addHelpText('after', '\nExamples:\n  $ entity-search plans deactivate partner')
    .action((name: string, flags: Flags) =>
      printRow(context, flags, (pool) => changePlan(pool, name, { active: false }), missing(name)),
    );
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

function missing(name: string): string {
  return `There is no plan ${name}. See: entity-search plans list`;
}
