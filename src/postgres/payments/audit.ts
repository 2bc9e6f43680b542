import type pg from 'pg';
import { z } from 'zod';
import type { AuditAccount, ComparedBlocks, Discrepancy } from '../../payments/ledger/audit.ts';
import type { AuditLease, AuditPosition, AuditPositions } from '../../payments/ledger/audit-run.ts';
import { networkNames } from '../../payments/protocol/networks.ts';
import { hex, type PaymentRowSettings, paymentColumns, queryWith, toPaymentRow, units } from './payment-row.ts';

// `$1` to `$3` name the recipient by network, asset and address, where a statement is about one.

const account = `network = $1 and asset = $2 and pay_to = $3`;
const positionColumns = `first_block, last_block, transfers, received::text`;

const statements = {
  find: `select ${paymentColumns} from x402_payments p
      join jsonb_to_recordset($3::jsonb) as k (network text, asset text, payer text, nonce text)
        on p.network = k.network and p.asset = k.asset and p.payer = k.payer and p.nonce = k.nonce`,
  // One step of the index per recipient, whatever the number of its rows. The first block is searched for only if
  // needed: rows that were claimed while the chain did not answer have none.
  targets: `with recursive target as (
        (select network, asset, pay_to from x402_payments order by network, asset, pay_to limit 1)
        union all
        select later.* from target t cross join lateral (
          select p.network, p.asset, p.pay_to from x402_payments p
          where (p.network, p.asset, p.pay_to) > (t.network, t.asset, t.pay_to)
          order by p.network, p.asset, p.pay_to limit 1) as later
      ), every as (select * from target union select network, asset, pay_to from x402_audits)
      select t.*, first.from_block, first.since_seconds
      from every t left join x402_audits a using (network, asset, pay_to)
      left join lateral (
        select min(p.from_block) as from_block,
          floor(extract(epoch from min(p.created_at) filter (where p.from_block is null)))::float8 as since_seconds
        from x402_payments p
        where (p.network, p.asset, p.pay_to) = (t.network, t.asset, t.pay_to) and ($1 or a.network is null)
      ) as first on true
      order by 1, 2, 3`,
  open: `insert into x402_audits (network, asset, pay_to, first_block, last_block) values ($1, $2, $3, $4, $4::bigint - 1)
      on conflict do nothing`,
  take: `update x402_audits set lease_owner = $4, lease_until = now() + $5::float8 * interval '1 ms'
      where ${account} and (lease_until is null or lease_until < now())
        and (finished_at is null or finished_at <= now() - $6::float8 * interval '1 ms')
      returning ${positionColumns}`,
  restart: `update x402_audits set first_block = $5, last_block = $5::bigint - 1, transfers = 0, received = 0, removed = 0
      where ${account} and lease_owner = $4 returning ${positionColumns}`,
  // A process that lost the lease adds nothing, and no blocks are added twice.
  save: `update x402_audits set last_block = $6, transfers = transfers + $7, received = received + $8::numeric
      where ${account} and lease_owner = $4 and last_block = $5::bigint - 1 returning ${positionColumns}`,
  renew: `update x402_audits set lease_until = now() + $5::float8 * interval '1 ms' where ${account} and lease_owner = $4`,
  release: `update x402_audits set lease_owner = null, lease_until = null,
        finished_at = case when $5 then now() else finished_at end
      where ${account} and lease_owner = $4`,
  openBlocks: `select block from x402_audit_findings
      where ${account} and resolved_at is null and acknowledged_at is null
      group by block order by min(checked_at) limit $4`,
  settledSum: `select (coalesce(sum(p.amount), 0)
        + coalesce((select a.removed from x402_audits a
                    where a.network = $1 and a.asset = $2 and a.pay_to = $3 and a.first_block = $4), 0))::text as sum
      from x402_payments p
      where p.network = $1 and p.asset = $2 and p.pay_to = $3 and p.status = 'settled' and p.block between $4 and $5`,
  noteBlocks: `update x402_payments p set block = k.block from jsonb_to_recordset($1::jsonb) as k (id bigint, block bigint)
      where p.id = k.id and p.status = 'settled' and p.block is distinct from k.block`,
  settledBut: `select id, tx_hash, block, payer, amount::text from x402_payments
      where ${account} and status = 'settled' and block between $4 and $5 and id <> all($6::bigint[])
        and (block, id) > ($7, $8)
      order by block, id limit $9`,
  report: `with found as (
        insert into x402_audit_findings (network, asset, pay_to, kind, tx_hash, event_at, block, payer, amount, payment)
        select $1, $2, $3, f.kind, f.transaction, f."eventAt", f.block, f.payer, f.amount, f.payment
        from jsonb_to_recordset($6::jsonb)
          as f (kind text, transaction text, "eventAt" integer, block bigint, payer text, amount numeric, payment bigint)
        on conflict (network, asset, pay_to, kind, tx_hash, event_at, payment)
          do update set checked_at = now(), block = excluded.block, resolved_at = null
        returning id, xmax = 0 as new
      ), gone as (
        update x402_audit_findings set checked_at = now(), resolved_at = now()
        where ${account} and block between $4 and $5 and resolved_at is null and id not in (select id from found)
      )
      select count(*)::int as new from found where new`,
} as const;

const target = z
  .object({
    network: z.enum(networkNames),
    asset: hex,
    pay_to: hex,
    from_block: z.int().nullable(),
    since_seconds: z.int().nullable(),
  })
  .transform(({ network, asset, pay_to: payTo, from_block: fromBlock, since_seconds: sinceSeconds }) => ({
    account: { network, asset, payTo },
    fromBlock,
    sinceSeconds,
  }));

const position = z
  .object({ first_block: z.int(), last_block: z.int(), transfers: z.int(), received: units })
  .transform(({ first_block: firstBlock, last_block: lastBlock, ...sums }) => ({ firstBlock, lastBlock, ...sums }));

const settledRow = z
  .object({ id: z.int(), tx_hash: hex, block: z.int(), payer: hex, amount: units })
  .transform(({ tx_hash: transaction, ...row }) => ({ ...row, transaction }));

/** Creates the audit's side of the database: positions, findings, and the rows that are compared. */
export function createAuditPositions(pool: pg.Pool, settings: PaymentRowSettings): AuditPositions {
  const query = queryWith(pool, settings.queryTimeoutMs, 'audit', statements);
  const of = (name: keyof typeof statements, account: AuditAccount, ...values: unknown[]) =>
    query(name, [account.network, account.asset, account.payTo, ...values]);
  const positionOf = ({ rows }: pg.QueryResult): AuditPosition | null =>
    rows[0] === undefined ? null : position.parse(rows[0]);
  return {
    async find(authorizations) {
      const { rows } = await query('find', [settings.replayMs, settings.claimableMs, JSON.stringify(authorizations)]);
      return rows.map(toPaymentRow);
    },
    async targets(again) {
      const { rows } = await query('targets', [again]);
      return z.array(target).parse(rows);
    },
    async take(account, firstBlock, { owner, ms, restMs }) {
      await of('open', account, firstBlock);
      return positionOf(await of('take', account, owner, ms, restMs));
    },
    restart: async (account, firstBlock, { owner }) => positionOf(await of('restart', account, owner, firstBlock)),
    async save(account, compared, { owner }) {
      const { fromBlock, toBlock, transfers, received } = compared;
      return positionOf(await of('save', account, owner, fromBlock, toBlock, transfers, String(received)));
    },
    async renew(account, { owner, ms }) {
      await of('renew', account, owner, ms);
    },
    async release(account, { owner }: AuditLease, finished) {
      await of('release', account, owner, finished);
    },
    async openBlocks(account, max) {
      const { rows } = await of('openBlocks', account, max);
      return z
        .array(z.object({ block: z.int() }))
        .parse(rows)
        .map(({ block }) => block);
    },
    async settledSum(account, { fromBlock, toBlock }) {
      const { rows } = await of('settledSum', account, fromBlock, toBlock);
      return z.tuple([z.object({ sum: units })]).parse(rows)[0].sum;
    },
    async noteBlocks(places) {
      if (places.length > 0) await query('noteBlocks', [JSON.stringify(places)]);
    },
    async settledBut(account, { fromBlock, toBlock }, ids, { after, max }) {
      const { rows } = await of('settledBut', account, fromBlock, toBlock, ids, after.block, after.id, max);
      return z.array(settledRow).parse(rows);
    },
    async report(account, { fromBlock, toBlock, discrepancies }: ComparedBlocks) {
      const { rows } = await of('report', account, fromBlock, toBlock, JSON.stringify(discrepancies.map(toJson)));
      return z.tuple([z.object({ new: z.int() })]).parse(rows)[0].new;
    },
  };
}

function toJson(discrepancy: Discrepancy): Readonly<Record<string, unknown>> {
  return { ...discrepancy, amount: String(discrepancy.amount) };
}
