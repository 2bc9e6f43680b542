import type { Command } from 'commander';
import { type PaidConfig, readPaidConfig } from '../../../src/config/payments.ts';
import { auditOnce, type RecipientAudit } from '../../../src/payments/ledger/audit.ts';
import { assetOf, networkOf, usd } from '../../../src/payments/protocol/assets.ts';
import { createAuditLedger } from '../../../src/postgres/payments/audit.ts';
import { acknowledgeFindings, openFindings } from '../../../src/postgres/payments/ledger-admin.ts';
import { createPaymentRows } from '../../../src/postgres/payments/payments.ts';
import { createChain } from '../../../src/x402/chain.ts';
import { idList, label, wholeNumber } from '../../arguments.ts';
import { withDatabase } from '../../connections.ts';
import type { CommandContext } from '../../context.ts';
import { defineCommand } from '../../define-command.ts';
import { CommandError } from '../../errors.ts';
import { exitCodes } from '../../exit-codes.ts';

interface AuditFlags {
  readonly fromBlock?: number;
  readonly toBlock?: number;
  readonly acknowledge?: readonly number[];
  readonly note?: string;
}

const blockNumber = wholeNumber(0);

const notes = `Every transfer of the last 3 days to each address that was ever configured must have its settled row, and every
settled row its transfer. Blocks that are not final yet are compared later. The API does the same all the time. Rows are
corrected if their transfer is in another block; nothing else is changed. The X402_ variables are those of the API.

  transfer_without_row  a transfer has no payment: it was sent by hand, or a row is missing
  row_without_transfer  a payment is settled, and the chain does not show its transfer
  unreadable            the node answers, but not for this block or payment
  reversed              a reorganisation has taken back the transfer of a payment, whose row is gone

Resolved findings disappear at the next run, except reversed payments. Acknowledge expected findings with a note.
Older blocks are compared with --from-block, as far back as rows are kept.

Exit codes: 0 ledger and chain are equal, 2 findings are open, 1 not everything could be compared, 64 wrong usage.`;

export function auditCommand(context: CommandContext): Command {
  return defineCommand('audit', {
    description: 'compare all transfers to the recipients with the ledger, both ways',
    notes,
    examples: [
      'payments audit',
      'payments audit --from-block 20000000 --to-block 20001000',
      'payments audit --acknowledge 3 --note "sent by hand to test the address"',
    ],
  })
    .option('--from-block <N>', 'compare the blocks from this one on; default: those of the last 3 days', blockNumber)
    .option('--to-block <N>', 'up to this one; default: the latest final block', blockNumber)
    .option('--acknowledge <IDS>', 'these findings are expected; separated by commas', idList)
    .option('--note <TEXT>', 'why they are expected', label)
    .action(async (flags: AuditFlags) => {
      if ((flags.acknowledge === undefined) !== (flags.note === undefined)) {
        throw new CommandError(
          '--acknowledge and --note go together: name the findings and the reason.',
          exitCodes.usage,
        );
      }
      if (flags.acknowledge !== undefined) await acknowledge(context, flags.acknowledge, flags);
      else await audit(context, flags);
    });
}

async function acknowledge(context: CommandContext, ids: readonly number[], flags: AuditFlags): Promise<void> {
  const acknowledged = await withDatabase(context, (pool) => acknowledgeFindings(pool, ids, flags.note ?? ''));
  const unknown = ids.filter((id) => !acknowledged.includes(id));
  context.terminal.printResult({ acknowledged, unknown });
  if (unknown.length > 0) throw new CommandError(`Not among the open findings: ${unknown.join(', ')}.`);
}

const shownMax = 1_000;

/** Reads the settings of payments. Throws `CommandError` if there are none. */
export function requirePaidConfig({ env }: CommandContext): PaidConfig {
  const config = readPaidConfig(env);
  if (config !== null) return config;
  throw new CommandError('X402_PAY_TO is not set: give the X402_ variables of the API.', exitCodes.usage);
}

/** The command may wait longer than a payer. */
const queryTimeoutMs = 120_000;

async function audit(context: CommandContext, flags: AuditFlags): Promise<void> {
  const { terminal, log, signal } = context;
  const { terms, rows, chain, observer } = requirePaidConfig(context);
  const { audits, open } = await withDatabase(context, async (pool) => {
    const settings = { queryTimeoutMs, ...rows };
    const deps = {
      terms,
      chain: createChain(chain, networkOf(terms.asset)),
      rows: createPaymentRows(pool, settings),
      ledger: createAuditLedger(pool, settings),
      keepMs: observer.keepMs,
      log,
    };
    return { audits: await auditOnce(deps, flags, signal), open: await openFindings(pool, shownMax) };
  });
  const recipients = audits.map(toRow);
  if (terminal.wantsJson) {
    terminal.printJson({ open_findings: open.count, recipients, findings: open.findings });
  } else {
    terminal.printRows(recipients, '');
    terminal.printEach(open.findings);
  }
  const skipped = audits.filter(({ state }) => state === 'no_node');
  for (const { recipient } of skipped) {
    terminal.warn(`${recipient.payTo} is not compared: X402_RPC_URL is not a node of ${recipient.network}.`);
  }
  if (open.count > 0) {
    terminal.warn(`${open.count} finding(s) are open.`);
    context.exitWith(exitCodes.partial);
  }
  if (audits.some(({ state }) => state === 'failed')) {
    throw new CommandError('Not every recipient could be compared: see the reasons above.');
  }
}

function toRow({ recipient, state, ...compared }: RecipientAudit) {
  const { network, asset, payTo: pay_to } = recipient;
  const { fromBlock: from_block, toBlock: to_block, transfers, received } = compared;
  const received_usd = usd(received, assetOf(recipient));
  return { network, asset, pay_to, state, from_block, to_block, transfers, received: String(received), received_usd };
}
