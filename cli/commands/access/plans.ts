import { Command } from 'commander';
import type { PlanLimits } from '../../../src/access/quota.ts';
import { changePlan, createPlan, listPlans } from '../../../src/postgres/access/admin.ts';
import { activeFlag, perMinute, planName, positiveNumber } from '../../arguments.ts';
import type { CommandContext } from '../../context.ts';
import { defineCommand } from '../../define-command.ts';
import { CommandError } from '../../errors.ts';
import { exitCodes } from '../../exit-codes.ts';
import { printList, printRow } from './shared.ts';

interface Flags {
  readonly perMinute?: number;
  readonly perMonth?: number;
  readonly unlimited?: boolean;
  readonly active?: boolean;
  readonly inactive?: boolean;
}

export function plansCommand(context: CommandContext): Command {
  return new Command('plans')
    .description('list, create and change plans: how much an account may call')
    .addCommand(listCommand(context), { isDefault: true })
    .addCommand(createCommand(context))
    .addCommand(changeCommand(context));
}

function listCommand(context: CommandContext): Command {
  return defineCommand('list', 'list all plans', {
    examples: ['plans list', 'plans list --json'],
  }).action(() => printList(context, listPlans, 'There are no plans. Create one with: entity-search plans create'));
}

function createCommand(context: CommandContext): Command {
  return withLimits(
    defineCommand('create', 'create a plan', {
      notes: `Without --per-minute or --per-month there is no such limit; a plan without limits needs --unlimited.`,
      examples: ['plans create partner --per-minute 600 --per-month 1000000', 'plans create internal --unlimited'],
    }).argument('<NAME>', 'its name', planName),
  ).action((name: string, flags: Flags) => {
    const given = limitsOf(flags);
    if (Object.keys(given).length === 0) {
      throw new CommandError('Give --per-minute, --per-month or --unlimited.', exitCodes.usage);
    }
    const limits = { callsPerMinute: null, callsPerMonth: null, ...given };
    return printRow(context, (pool) => createPlan(pool, name, limits), `A plan ${name} exists already.`);
  });
}

function changeCommand(context: CommandContext): Command {
  return withLimits(
    defineCommand('change', 'change limits, and whether its accounts may call', {
      examples: ['plans change growth --per-minute 400', 'plans change partner --inactive'],
    }).argument('<NAME>', 'the plan', planName),
  )
    .option('--active', 'let its accounts call again')
    .option('--inactive', 'refuse calls of its accounts (403)')
    .action((name: string, flags: Flags) => {
      const active = activeFlag(flags);
      const change = { ...limitsOf(flags), ...(active === undefined ? {} : { active }) };
      if (Object.keys(change).length === 0) {
        throw new CommandError('No change was given; see entity-search plans change --help.', exitCodes.usage);
      }
      return printRow(context, (pool) => changePlan(pool, name, change), missing(name));
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
  if (flags.unlimited) return { callsPerMinute: null, callsPerMonth: null };
  return {
    ...(flags.perMinute === undefined ? {} : { callsPerMinute: flags.perMinute }),
    ...(flags.perMonth === undefined ? {} : { callsPerMonth: flags.perMonth }),
  };
}

function missing(name: string): string {
  return `There is no plan ${name}. See: entity-search plans list`;
}
