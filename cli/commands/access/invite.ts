import type { Command } from 'commander';
import { z } from 'zod';
import { hashToken, newToken } from '../../../src/account/tokens.ts';
import { paymentVariables } from '../../../src/config/payments.ts';
import { parseSettings } from '../../../src/config/settings.ts';
import { type Invited, inviteToAccount } from '../../../src/postgres/access/invitation-admin.ts';
import { label, planName } from '../../arguments.ts';
import { withDatabase } from '../../connections.ts';
import type { CommandContext } from '../../context.ts';
import { defineCommand } from '../../define-command.ts';
import { CommandError } from '../../errors.ts';
import { type Actor, onPlan } from './shared.ts';

interface Flags {
  readonly plan?: string;
}

const validDays = 7;
const urlDefault = 'http://localhost:3000';

export function inviteCommand(context: CommandContext, actor: Actor): Command {
  return defineCommand('invite', {
    description: 'create a link with which one person joins an account',
    notes: `The person who opens the link registers a passkey or a wallet, and signs in with it from then on. The link works
once, within ${validDays} days. Only its hash is stored: it can't be shown again. Send it as you would
send a password. It leads to PUBLIC_URL, or else to ${urlDefault}.`,
    examples: ['accounts invite "Example Ltd" --plan starter'],
  })
    .argument('<NAME>', 'the account; created if it is missing', label)
    .option('--plan <PLAN>', 'the plan of an account that is created', planName)
    .action(async (name: string, flags: Flags) => {
      const page = publicUrl(context) ?? urlDefault;
      const token = newToken();
      const invitation = { account: name, plan: flags.plan, hash: hashToken(token), validDays };
      const invited = await withDatabase(
        context,
        onPlan(flags.plan, (pool) => inviteToAccount(pool, invitation, actor())),
      );
      if (!invited.ok) throw new CommandError(problemOf(name, invited));
      // A fragment is sent to no server and appears in no log.
      const link = `${new URL(page).origin}/account/invitation#${token}`;
      context.terminal.printResult({ link, ...invited.row });
      context.terminal.say('Copy the link now. It is not shown again.');
    });
}

function publicUrl({ env }: CommandContext): string | undefined {
  return parseSettings(z.object({ PUBLIC_URL: paymentVariables.shape.PUBLIC_URL }), env).PUBLIC_URL;
}

function problemOf(name: string, invited: Exclude<Invited, { readonly ok: true }>): string {
  switch (invited.reason) {
    case 'no plan given':
      return `There is no account ${name}. Give --plan to create it on that plan.`;
    case 'other plan':
      return `The account ${name} is on the plan ${invited.plan}. Leave --plan out, or change it with: entity-search accounts change`;
    case 'suspended':
      return `The account ${name} is suspended. Activate it first: entity-search accounts change --active`;
  }
}
