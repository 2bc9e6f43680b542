import { once } from 'node:events';
import { Command, InvalidArgumentError, Option } from 'commander';
import { configuredNetwork } from '../../../src/config/payments.ts';
import { observeOnce } from '../../../src/payments/ledger/observe.ts';
import { rowStatuses } from '../../../src/payments/ledger/states.ts';
import { assetOf, networkOf, usd } from '../../../src/payments/protocol/assets.ts';
import {
  countWithoutNode,
  findPayments,
  type LedgerDetail,
  type LedgerFilter,
  listPayments,
  settledPayments,
  withoutNodeSentence,
} from '../../../src/postgres/payments/ledger-admin.ts';
import { createPaymentRows } from '../../../src/postgres/payments/payments.ts';
import { createPaymentUpkeep } from '../../../src/postgres/payments/upkeep.ts';
import { createChain } from '../../../src/x402/chain.ts';
import { moment } from '../../arguments.ts';
import { withDatabase } from '../../connections.ts';
import type { CommandContext } from '../../context.ts';
import { defineCommand } from '../../define-command.ts';
import { CommandError } from '../../errors.ts';
import { exitCodes } from '../../exit-codes.ts';
import { auditCommand, requirePaidConfig } from './audit.ts';

export function makeCommand(context: CommandContext): Command {
  const payments = new Command('payments');
  payments.addCommand(listCommand(context), { isDefault: true });
  payments.addCommand(showCommand(context));
  payments.addCommand(reconcileCommand(context));
  payments.addCommand(auditCommand(context));
  payments.addCommand(exportCommand(context));
  return payments;
}

const listed = 50;

function listCommand(context: CommandContext): Command {
  return defineCommand('list', {
    description: `list the latest ${listed} payments`,
    examples: ['payments list --status settling'],
  })
    .addOption(new Option('--status <STATUS>', 'only those in this state').choices(rowStatuses))
    .option('--payer <ADDRESS>', 'only those of this payer', address)
    .action(async (flags: LedgerFilter) => {
      const network = configuredNetwork(context.env);
      const { rows, withoutNode } = await withDatabase(context, async (pool) => ({
        rows: await listPayments(pool, flags, listed),
        withoutNode: network === null ? 0 : await countWithoutNode(pool, network),
      }));
      context.terminal.printRows(rows, 'There are no such payments.');
      if (network !== null && withoutNode > 0) context.terminal.warn(withoutNodeSentence(withoutNode, network));
    });
}

function showCommand(context: CommandContext): Command {
  return defineCommand('show', { description: 'show all that is kept of a payment', examples: ['payments show 17'] })
    .argument('<PAYMENT>', 'its id, nonce or transaction')
    .action(async (name: string) => {
      const rows = await withDatabase(context, (pool) => findPayments(pool, name));
      if (rows.length === 0) {
        throw new CommandError(`There is no payment ${name}. Payments that can no longer settle are removed.`);
      }
      for (const row of rows) context.terminal.printResult(row);
    });
}

function reconcileCommand(context: CommandContext): Command {
  return defineCommand('reconcile', {
    description: 'ask the chain about payments whose outcome is open',
    notes: `The API does the same by itself every 15 seconds. It settles and charges nothing: a payment on the chain
becomes settled, one that can no longer arrive is given up, the rest stay open (exit code 2). The X402_ variables are
those of the API.`,
    examples: ['payments reconcile'],
  }).action(async () => {
    const config = requirePaidConfig(context);
    const observed = await withDatabase(context, (pool) => {
      const settings = { queryTimeoutMs, ...config.rows };
      const rows = createPaymentRows(pool, settings);
      const upkeep = createPaymentUpkeep(pool, settings, config.terms.asset.network);
      const chain = createChain(config.chain, networkOf(config.terms.asset));
      return observeOnce({ rows, upkeep, chain, passMax, log: context.log }, context.signal);
    });
    context.terminal.printResult(observed);
    if (observed.open > 0) context.exitWith(exitCodes.partial);
  });
}

/** The command may wait longer than a payer. */
const queryTimeoutMs = 30_000;
/** More rows than can be open unless something is badly wrong. */
const passMax = 10_000;

const csvColumns = [
  'id',
  'settled_at',
  'network',
  'asset',
  'payer',
  'pay_to',
  'amount',
  'amount_usd',
  'transaction',
  'nonce',
  'delivered_at',
  'status',
  'final',
] as const;

function exportCommand(context: CommandContext): Command {
  return defineCommand('export', {
    description: 'write settled payments as CSV, for accounting',
    examples: ['payments export --from 2030-01-01 --to 2030-02-01 > january.csv'],
  })
    .option('--from <ISO>', 'settled at or after this moment', moment)
    .option('--to <ISO>', 'settled before this moment', moment)
    .action(async (flags: { readonly from?: Date; readonly to?: Date }) => {
      const { stdout } = context.terminal;
      await withDatabase(context, async (pool) => {
        stdout.write(`${csvColumns.join(',')}\n`);
        for await (const row of settledPayments(pool, { from: flags.from ?? null, to: flags.to ?? null })) {
          context.signal.throwIfAborted();
          if (!stdout.write(`${csvLine(row)}\n`)) await once(stdout, 'drain', { signal: context.signal });
        }
      });
    });
}

/** Values need no quoting: they are numbers, times, words and hexadecimal digits. */
function csvLine(row: LedgerDetail): string {
  const values = { ...row, amount_usd: usd(BigInt(row.amount), assetOf(row)) };
  return csvColumns.map((column) => values[column] ?? '').join(',');
}

function address(text: string): string {
  if (!/^0x[0-9a-fA-F]{40}$/.test(text)) {
    throw new InvalidArgumentError('It must be an address: 0x and 40 hexadecimal digits.');
  }
  return text;
}
