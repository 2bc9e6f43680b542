import { randomUUID } from 'node:crypto';
import type { Command } from 'commander';
import type pg from 'pg';
import { type PaidConfig, readPaidConfig } from '../../../src/config/payments.ts';
import { sleep } from '../../../src/lib/sleep.ts';
import { type AccountAudit, type AuditPositions, auditOnce } from '../../../src/payments/ledger/audit-run.ts';
import { assetOf, networkOf, usd } from '../../../src/payments/protocol/assets.ts';
import { createAuditPositions } from '../../../src/postgres/payments/audit.ts';
import { type AuditFinding, acknowledgeFindings, openFindings } from '../../../src/postgres/payments/ledger-admin.ts';
import { createPaymentRows } from '../../../src/postgres/payments/payments.ts';
import { createChain } from '../../../src/x402/chain.ts';
import { idList, label, wholeNumber } from '../../arguments.ts';
import { withDatabase } from '../../connections.ts';
import type { CommandContext } from '../../context.ts';
import { defineCommand } from '../../define-command.ts';
import { CommandError } from '../../errors.ts';
import { exitCodes } from '../../exit-codes.ts';
import { showProgress, type WorkProgress } from '../../progress/display.ts';

interface AuditFlags {
  readonly fromBlock?: number;
  readonly toBlock?: number;
  readonly again?: boolean;
  readonly acknowledge?: readonly number[];
  readonly note?: string;
}

const blockNumber = wholeNumber(0);

const notes = `Every transfer of the token to each address that was ever paid must have its settled row, and every settled row its
transfer. Blocks that may still be taken back wait. The compared range is remembered, so the next run continues
after it; the API does the same every 10 minutes. A row whose transfer is found becomes settled; nothing else is
changed. The X402_ variables are those of the API.

  transfer_without_row  money came that no payment accounts for: it was sent by hand, or a row is missing
  row_without_transfer  a payment is settled, and its block has no such transfer

Resolved findings disappear at the next run. Acknowledge expected ones, with a note.
With --from-block alone just these blocks are compared, and the remembered range stays as it is.

Exit codes: 0 ledger and chain are equal, 2 findings are open, 1 not everything could be compared, 64 wrong usage.`;

export function auditCommand(context: CommandContext): Command {
  return defineCommand('audit', 'compare all transfers to the recipients with the ledger, both ways', {
    notes,
    examples: [
      'payments audit',
      'payments audit --from-block 20000000 --to-block 20001000',
      'payments audit --acknowledge 3 --note "sent by hand to test the address"',
    ],
  })
    .option('--from-block <N>', 'compare just the blocks from this one on', blockNumber)
    .option('--to-block <N>', 'and up to this one; default: the latest that is not taken back any more', blockNumber)
    .option('--again', 'compare everything again, from the first payment or from --from-block on')
    .option('--acknowledge <IDS>', 'these findings are as they should be; separated by commas', idList)
    .option('--note <TEXT>', 'why they are', label)
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

async function audit(context: CommandContext, flags: AuditFlags): Promise<void> {
  const config = readPaidConfig(context.env);
  if (config === null) {
    throw new CommandError('X402_PAY_TO is not set: give the X402_ variables of the API.', exitCodes.usage);
  }
  const { audits, open } = await withDatabase(context, async (pool) => ({
    audits: await runAudit(pool, config, context, flags),
    open: await openFindings(pool, shownMax),
  }));
  print(context, audits, open);
  for (const { account, state } of audits) {
    if (state === 'no_node') context.terminal.warn(`${account.payTo} on ${account.network}: ${sentences.no_node}`);
  }
  if (open.count > 0) context.exitWith(exitCodes.partial);
  const [unfinished] = audits.filter(({ state }) => state === 'taken' || state === 'node_behind');
  if (unfinished !== undefined) throw new CommandError(sentences[unfinished.state]);
}

const sentences: Readonly<Record<AccountAudit['state'], string>> = {
  done: '',
  no_node: 'not compared, for X402_RPC_URL is a node of another network; run the audit with the settings of this one.',
  taken: 'Another process audits the same recipient. Wait until it is done, then run the audit again.',
  node_behind: 'The node does not know blocks that were compared already. Wait until it has caught up, or ask another.',
};

/** The sum over millions of rows takes long. */
const queryTimeoutMs = 120_000;
/** The longest wait for another process to end its audit: longer than the lease of one that has vanished. */
const takenWaitMs = 90_000;
const takenPauseMs = 200;

async function runAudit(pool: pg.Pool, config: PaidConfig, context: CommandContext, flags: AuditFlags) {
  const { signal, log } = context;
  const settings = { queryTimeoutMs, ...config.rows };
  const chain = createChain(config.chain, networkOf(config.terms.asset));
  using progress = showAuditProgress(context, config.chain.logRangeBlocks);
  const deps = {
    chain,
    rows: createPaymentRows(pool, settings),
    positions: waiting(createAuditPositions(pool, settings), signal),
    network: config.terms.asset.network,
    newOwner: randomUUID,
    leaseMs: config.limits.leaseMs,
    log,
    onProgress: progress.update,
  };
  return await auditOnce(deps, { ...flags, sums: true, restMs: 0 }, signal);
}

/** Audits, and waits for recipients that another process audits. */
function waiting(positions: AuditPositions, signal: AbortSignal): AuditPositions {
  return {
    ...positions,
    async take(account, firstBlock, lease) {
      const endMs = performance.now() + takenWaitMs;
      for (;;) {
        const taken = await positions.take(account, firstBlock, lease);
        if (taken !== null || performance.now() > endMs) return taken;
        await sleep(takenPauseMs, signal);
      }
    },
  };
}

/** Shows the progress of each recipient with more than one query's worth of blocks. */
function showAuditProgress({ terminal }: CommandContext, logRangeBlocks: number) {
  let shown: { readonly payTo: string; readonly work: WorkProgress } | null = null;
  const end = (): void => shown?.work[Symbol.dispose]();
  return {
    update: (
      { payTo }: AccountAudit['account'],
      { fromBlock, toBlock, doneBlock }: { fromBlock: number; toBlock: number; doneBlock: number },
    ): void => {
      const total = toBlock - fromBlock + 1;
      if (total <= logRangeBlocks) return;
      if (shown?.payTo !== payTo) {
        end();
        const work = showProgress(terminal, { kind: 'audit', phase: payTo, total }, () => performance.now());
        shown = { payTo, work };
      }
      shown.work.update(doneBlock - fromBlock + 1);
    },
    [Symbol.dispose]: end,
  };
}

function print(
  { terminal }: CommandContext,
  audits: readonly AccountAudit[],
  open: { readonly count: number; readonly findings: readonly AuditFinding[] },
): void {
  const accounts = audits.map(toRow);
  if (terminal.wantsJson) {
    terminal.printJson({ open_findings: open.count, recipients: accounts, findings: open.findings });
    return;
  }
  terminal.printRows(accounts, 'There is no payment to be audited.');
  if (open.count === 0) {
    terminal.say('The ledger and the chain are equal.');
    return;
  }
  terminal.printEach(open.findings);
  terminal.warn(`${open.count} finding(s) are open.`);
}

function toRow({ account, state, sums, landed }: AccountAudit) {
  const { network, asset, payTo: pay_to } = account;
  const recipient = { network, asset, pay_to, state, landed };
  if (sums === null) return recipient;
  const { fromBlock: from_block, toBlock: to_block, transfers, received, settled } = sums;
  const difference = received - settled;
  const dollars = (amount: bigint): string => usd(amount, assetOf(account));
  return {
    ...recipient,
    from_block,
    to_block,
    transfers,
    received: String(received),
    received_usd: dollars(received),
    settled: String(settled),
    settled_usd: dollars(settled),
    difference: String(difference),
    difference_usd: `${difference < 0n ? '-' : ''}${dollars(difference < 0n ? -difference : difference)}`,
  };
}
