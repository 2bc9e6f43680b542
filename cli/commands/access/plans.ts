import { Command, Option } from 'commander';
import type { PlanLimits } from '../../../src/access/quota.ts';
import { changePlan, createPlan, listPlans } from '../../../src/postgres/access/admin.ts';
import { type ActiveFlags, activeFlag, perMinute, planName, positiveNumber } from '../../arguments.ts';
import type { CommandContext } from '../../context.ts';
import { defineCommand } from '../../define-command.ts';
import { CommandError } from '../../errors.ts';
import { exitCodes } from '../../exit-codes.ts';
import { printList, printRow } from './shared.ts';

interface Flags extends ActiveFlags {
  readonly perMinute?: number | 'none';
  readonly perMonth?: number | 'none';
}

export function makeCommand(context: CommandContext): Command {
  return new Command('plans')
    .addCommand(listCommand(context), { isDefault: true })
    .addCommand(createCommand(context))
    .addCommand(changeCommand(context));
}

function listCommand(context: CommandContext): Command {
  return defineCommand('list', { description: 'list all plans', examples: ['plans list', 'plans list --json'] }).action(
    () => printList(context, listPlans, 'There are no plans. Create one with: entity-search plans create'),
  );
}

function createCommand(context: CommandContext): Command {
  return withLimits(
    defineCommand('create', {
      description: 'create a plan',
      notes: 'Without an option, there is no such limit.',
      examples: ['plans create partner --per-minute 600 --per-month 1000000', 'plans create internal --per-month none'],
    }).argument('<NAME>', 'its name', planName),
  ).action((name: string, flags: Flags) => {
    const given = limitsOf(flags);
    if (Object.keys(given).length === 0) {
      throw new CommandError('Give --per-minute or --per-month; "none" means no limit.', exitCodes.usage);
    }
    const limits = { callsPerMinute: null, callsPerMonth: null, ...given };
    return printRow(context, (pool) => createPlan(pool, name, limits), `A plan ${name} exists already.`);
  });
}

function changeCommand(context: CommandContext): Command {
  return withLimits(
    defineCommand('change', {
      description: 'change limits, and whether its accounts may call',
      examples: ['plans change growth --per-minute 400', 'plans change partner --inactive'],
    }).argument('<NAME>', 'the plan', planName),
  )
    .addOption(new Option('--active', 'let its accounts call again').conflicts('inactive'))
    .option('--inactive', 'refuse calls of its accounts (403)')
    .action((name: string, flags: Flags) => {
      const active = activeFlag(flags);
      const change = { ...limitsOf(flags), ...(active !== undefined && { active }) };
      if (Object.keys(change).length === 0) {
        throw new CommandError('No change was given; see entity-search plans change --help.', exitCodes.usage);
      }
      return printRow(context, (pool) => changePlan(pool, name, change), missing(name));
    });
}

function withLimits(command: Command): Command {
  return command
    .option('--per-minute <N>', 'calls a minute; none: no limit', limit(perMinute))
    .option('--per-month <N>', 'calls a month (UTC); none: no limit', limit(positiveNumber));
}

function limit(parse: (text: string) => number): (text: string) => number | 'none' {
  return (text) => (text === 'none' ? text : parse(text));
}

function limitsOf(flags: Flags): Partial<PlanLimits> {
  const { perMinute, perMonth } = flags;
  return {
    ...(perMinute !== undefined && { callsPerMinute: perMinute === 'none' ? null : perMinute }),
    ...(perMonth !== undefined && { callsPerMonth: perMonth === 'none' ? null : perMonth }),
  };
}

function missing(name: string): string {
  return `There is no plan ${name}. See: entity-search plans list`;
}
