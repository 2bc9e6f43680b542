// Postgres' part in the audit: `$1` to `$3` name the recipient by network, asset and address.

const account = `network = $1 and asset = $2 and pay_to = $3`;
const position = `first_block, last_block, transfers, received::text`;

/** Every statement of the audit, by name. Prepared once a connection. */
export const auditSql = {
  // One step of the index for each recipient, however many rows he has. Where he begins is looked for only where it is
  // needed: rows of earlier versions do not say their block.
  targets: {
    name: 'x402 audit targets',
    text: `with recursive target as (
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
  },
  open: {
    name: 'x402 audit open',
    text: `insert into x402_audits (network, asset, pay_to, first_block, last_block) values ($1, $2, $3, $4, $4::bigint - 1)
      on conflict do nothing`,
  },
  take: {
    name: 'x402 audit take',
    text: `update x402_audits set lease_owner = $4, lease_until = now() + $5::float8 * interval '1 ms'
      where ${account} and (lease_until is null or lease_until < now())
        and (finished_at is null or finished_at <= now() - $6::float8 * interval '1 ms')
      returning ${position}`,
  },
  restart: {
    name: 'x402 audit restart',
    text: `update x402_audits set first_block = $5, last_block = $5::bigint - 1, transfers = 0, received = 0, removed = 0
      where ${account} and lease_owner = $4 returning ${position}`,
  },
  // Whoever lost the lease adds nothing, nor does anybody add the same blocks twice.
  save: {
    name: 'x402 audit save',
    text: `update x402_audits set last_block = $6, transfers = transfers + $7, received = received + $8::numeric
      where ${account} and lease_owner = $4 and last_block = $5::bigint - 1 returning ${position}`,
  },
  renew: {
    name: 'x402 audit renew',
    text: `update x402_audits set lease_until = now() + $5::float8 * interval '1 ms' where ${account} and lease_owner = $4`,
  },
  release: {
    name: 'x402 audit release',
    text: `update x402_audits set lease_owner = null, lease_until = null,
        finished_at = case when $5 then now() else finished_at end
      where ${account} and lease_owner = $4`,
  },
  openBlocks: {
    name: 'x402 audit open blocks',
    text: `select block from x402_audit_findings
      where ${account} and resolved_at is null and acknowledged_at is null
      group by block order by min(checked_at) limit $4`,
  },
  settledSum: {
    name: 'x402 audit settled sum',
    text: `select (coalesce(sum(p.amount), 0)
        + coalesce((select a.removed from x402_audits a
                    where a.network = $1 and a.asset = $2 and a.pay_to = $3 and a.first_block = $4), 0))::text as sum
      from x402_payments p
      where p.network = $1 and p.asset = $2 and p.pay_to = $3 and p.status = 'settled' and p.block between $4 and $5`,
  },
  noteBlocks: {
    name: 'x402 audit note blocks',
    text: `update x402_payments p set block = k.block from jsonb_to_recordset($1::jsonb) as k (id bigint, block bigint)
      where p.id = k.id and p.status = 'settled' and p.block is distinct from k.block`,
  },
  settledBut: {
    name: 'x402 audit settled but',
    text: `select id, tx_hash, block, payer, amount::text from x402_payments
      where ${account} and status = 'settled' and block between $4 and $5 and id <> all($6::bigint[])
        and (block, id) > ($7, $8)
      order by block, id limit $9`,
  },
  tell: {
    name: 'x402 audit tell',
    text: `with told as (
        insert into x402_audit_findings (network, asset, pay_to, kind, tx_hash, event_at, block, payer, amount, payment)
        select $1, $2, $3, f.kind, f.transaction, f."eventAt", f.block, f.payer, f.amount, f.payment
        from jsonb_to_recordset($6::jsonb)
          as f (kind text, transaction text, "eventAt" integer, block bigint, payer text, amount numeric, payment bigint)
        on conflict (network, asset, pay_to, kind, tx_hash, event_at, payment)
          do update set checked_at = now(), block = excluded.block, resolved_at = null
        returning id, xmax = 0 as new
      ), gone as (
        update x402_audit_findings set checked_at = now(), resolved_at = now()
        where ${account} and block between $4 and $5 and resolved_at is null and id not in (select id from told)
      )
      select count(*)::int as new from told where new`,
  },
} as const;
