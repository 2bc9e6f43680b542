import { randomBytes } from 'node:crypto';
import { Command } from 'commander';
import type pg from 'pg';
import { environmentOf, generateApiKey } from '../../../src/access/api-key.ts';
import { hourMs } from '../../../src/lib/durations.ts';
import {
  createKey,
  findKey,
  type KeyActor,
  listKeys,
  revokeKey,
  rotateKey,
} from '../../../src/postgres/access/key-admin.ts';
import { label, moment, positiveNumber } from '../../arguments.ts';
import { withDatabase } from '../../connections.ts';
import type { CommandContext } from '../../context.ts';
import { defineCommand } from '../../define-command.ts';
import { CommandError } from '../../errors.ts';
import { addActorOption, printList, printRow } from './shared.ts';

interface NewKeyFlags {
  readonly account: string;
  readonly name: string;
  readonly test?: boolean;
  readonly expires: Date | 'never';
}

type ActorOf = () => KeyActor;

export function makeCommand(context: CommandContext): Command {
  const keys = new Command('keys');
  const actor = addActorOption(keys);
  const actorOf: ActorOf = () => ({ name: actor(), ip: null });
  return keys
    .addCommand(listCommand(context), { isDefault: true })
    .addCommand(createCommand(context, actorOf))
    .addCommand(rotateCommand(context, actorOf))
    .addCommand(revokeCommand(context, actorOf));
}

function listCommand(context: CommandContext): Command {
  return defineCommand('list', { description: 'list keys', examples: ['keys list --account "Example Ltd"'] })
    .option('--account <NAME>', 'only those of this account', label)
    .action(({ account }: { readonly account?: string }) => {
      const query = (pool: pg.Pool) => listKeys(pool, account);
      return printList(context, query, 'There are no keys. Create one with: entity-search keys create');
    });
}

function createCommand(context: CommandContext, actorOf: ActorOf): Command {
  return defineCommand('create', {
    description: 'create a key and print it, only once',
    notes: `Only a hash of the key is stored: it can't be shown again. Keys of an account share its limits. Replace a key
with: entity-search keys rotate`,
    examples: [
      'keys create --account "Example Ltd" --name production',
      'keys create --account "Example Ltd" --name trial --test --expires 2030-01-31',
    ],
  })
    .requiredOption('--account <NAME>', 'the account that owns it', label)
    .requiredOption('--name <NAME>', 'what it is for', label)
    .option('--test', 'a test key (es_test_…)')
    .option('--expires <ISO>', 'when it expires', expiry, 'never')
    .action(async ({ account, name, test = false, expires }: NewKeyFlags) => {
      const key = generateApiKey(test ? 'test' : 'live', randomBytes);
      const row = { account, name, key, expiresAt: expires === 'never' ? null : expires };
      const create = async (pool: pg.Pool) => {
        const created = await createKey(pool, row, actorOf());
        return created && { key, ...created };
      };
      const otherwise = `There is no account ${account}. Create it with: entity-search accounts create`;
      await printRow(context, create, otherwise);
      context.terminal.say(keepNow);
    });
}

function expiry(text: string): Date | 'never' {
  return text === 'never' ? text : moment(text);
}

/** The time that a replaced key still works. */
const overlapHours = 24;

function rotateCommand(context: CommandContext, actorOf: ActorOf): Command {
  return defineCommand('rotate', {
    description: 'replace a key: print a new one, and let the old one expire',
    notes: `The new key has the name, the environment and the lifetime of the old one. The old key expires after
${overlapHours} hours, or earlier if it was going to.`,
    examples: ['keys rotate 12'],
  })
    .argument('<ID>', 'its id, as shown by keys list', positiveNumber)
    .action(async (id: number) => {
      const overlapMs = overlapHours * hourMs;
      const rotate = async (pool: pg.Pool) => {
        const old = await findKey(pool, { id });
        if (old === null) throw new CommandError(missing(id));
        const key = generateApiKey(environmentOf(old.prefix), randomBytes);
        const rotated = await rotateKey(pool, { id }, { key, overlapMs }, actorOf());
        return rotated && { key, ...rotated.created, replaces: id, old_expires_at: rotated.replaced.expires_at };
      };
      await printRow(context, rotate, `Key ${id} has ended. Create one with: entity-search keys create`);
      context.terminal.say(keepNow);
    });
}

function revokeCommand(context: CommandContext, actorOf: ActorOf): Command {
  return defineCommand('revoke', { description: 'revoke a key for good', examples: ['keys revoke 12'] })
    .argument('<ID>', 'its id, as shown by keys list', positiveNumber)
    .action(async (id: number) => {
      const answer = await withDatabase(context, (pool) => revokeKey(pool, { id }, actorOf()));
      if (answer === null) throw new CommandError(missing(id));
      if (!answer.revoked) context.terminal.say(`Key ${id} was already revoked.`);
      context.terminal.printResult(answer.key);
    });
}

const keepNow = 'Keep the key now; it is not shown again.';

function missing(id: number): string {
  return `There is no key ${id}. See: entity-search keys list`;
}
