import type pg from 'pg';
import { z } from 'zod';
import type { AuditLedger, Recipient } from '../../payments/ledger/audit.ts';
import { networkNames } from '../../payments/protocol/networks.ts';
import { hex, queryWith, units } from './payment-row.ts';

// `$1` to `$3` name the recipient by network, asset and address.
const recipient = `network = $1 and asset = $2 and pay_to = $3`;

const statements = {
  recipients: `with stored as (
        insert into x402_recipients (network, asset, pay_to) values ($1, $2, $3) on conflict do nothing)
      select network, asset, pay_to as "payTo" from x402_recipients union select $1, $2, $3 order by 1, 2, 3`,
  begin: `update x402_recipients set started_at = now()
      where ${recipient} and (started_at is null or started_at <= now() - $4::float8 * interval '1 ms')
      returning next_block as "nextBlock"`,
  end: `update x402_recipients set next_block = $4::bigint,
        finished_at = case when $4::bigint is null then now() else finished_at end
      where ${recipient}`,
  openBlocks: `select distinct block from x402_audit_findings
      where ${recipient} and resolved_at is null and acknowledged_at is null and block < $4
      order by block desc limit $5`,
  rows: `select id, payer, nonce, amount::text, tx_hash as transaction, block,
        status = 'settled' and block is not null as settled
      from x402_payments
      where ${recipient}
        and (status = 'settled' and block between $4 and $5 or tx_hash = any($6) or payer = any($7) and status <> 'settled')`,
  report: `with found as (
        insert into x402_audit_findings (network, asset, pay_to, kind, block, tx_hash, log_index, payer, amount, payment)
        select $1, $2, $3, f.kind, f.block, f.transaction, f."logIndex", f.payer, f.amount, f.payment
        from jsonb_to_recordset($6::jsonb) as f
          (kind text, block bigint, transaction text, "logIndex" integer, payer text, amount numeric, payment bigint)
        on conflict (network, asset, pay_to, kind, block, tx_hash, log_index, payment) do update set resolved_at = null
        returning id, xmax = 0 as new
      ), gone as (
        update x402_audit_findings set resolved_at = now()
        where ${recipient} and block between $4 and $5 and resolved_at is null and kind <> 'reversed'
          and id not in (select id from found)
      )
      select count(*)::int as new from found where new`,
} as const;

const recipients = z.array(z.object({ network: z.enum(networkNames), asset: hex, payTo: hex }));
const turn = z.object({ nextBlock: z.int().nullable() });
const rows = z.array(
  z.object({
    id: z.int(),
    payer: hex,
    nonce: hex,
    amount: units,
    transaction: hex.nullable(),
    block: z.int().nullable(),
    settled: z.boolean(),
  }),
);

/** Creates the audit's store: recipients, findings and the compared rows. */
export function createAuditLedger(pool: pg.Pool, { queryTimeoutMs }: { readonly queryTimeoutMs: number }): AuditLedger {
  const query = queryWith(pool, queryTimeoutMs, 'audit', statements);
  const ask = async (name: keyof typeof statements, of: Recipient, ...values: unknown[]): Promise<unknown[]> =>
    (await query(name, [of.network, of.asset, of.payTo, ...values])).rows;
  return {
    recipients: async (configured) => recipients.parse(await ask('recipients', configured)),
    begin: async (of, restMs) => turn.nullable().parse((await ask('begin', of, restMs))[0] ?? null),
    async end(of, nextBlock) {
      await ask('end', of, nextBlock);
    },
    async openBlocks(of, beforeBlock, max) {
      const found = await ask('openBlocks', of, beforeBlock, max);
      return z
        .array(z.object({ block: z.int() }))
        .parse(found)
        .map(({ block }) => block);
    },
    async rows(of, { fromBlock, toBlock }, transfers) {
      const transactions = new Set(transfers.map(({ transaction }) => transaction));
      const payers = new Set(transfers.map(({ payer }) => payer));
      return rows.parse(await ask('rows', of, fromBlock, toBlock, [...transactions], [...payers]));
    },
    async report(of, { fromBlock, toBlock }, findings) {
      const stored = findings.map((finding) => ({ ...finding, amount: finding.amount?.toString() ?? null }));
      const found = await ask('report', of, fromBlock, toBlock, JSON.stringify(stored));
      return z.tuple([z.object({ new: z.int() })]).parse(found)[0].new;
    },
  };
}
