// Postgres' part in payments: what is claimed, compared and changed in one statement each.

/** How long answers may be fetched again: `$1` after delivery, `$2` undelivered, both in milliseconds. */
const claimable = `p.status = 'settled' and case
    when p.delivered_at is null then p.settled_at > now() - $2::float8 * interval '1 ms'
    else p.body is not null and p.delivered_at > now() - $1::float8 * interval '1 ms' end`;

/** The columns of a row `p`. */
const columns = `p.id, p.network, p.asset, p.pay_to, p.payer, p.nonce, p.amount::text, p.valid_before::text, p.status,
  p.lease_owner, p.request, p.request_hash, p.signature_hash, p.payment_id, p.header, p.body, p.from_block, p.tx_hash,
  p.confirmed, p.final, p.created_at, p.delivered_at, coalesce(p.lease_until > now(), false) as leased,
  coalesce(${claimable}, false) as claimable`;

/** Every statement about rows, by name. Prepared once a connection. */
export const paymentSql = {
  claim: {
    name: 'x402 claim payment',
    text: `select c.verdict, ${columns.replaceAll(/\bp\./g, '(c.payment).')} from x402_claim($3::jsonb, $4::jsonb) as c`,
  },
  find: {
    name: 'x402 find payment',
    text: `select ${columns} from x402_payments p where p.network = $3 and p.asset = $4 and p.payer = $5 and p.nonce = $6`,
  },
  payer: {
    name: 'x402 payer',
    text: `select count(*) > 0 as seen, coalesce(bool_or(status = 'settled'), false) as paid from (
      (select status from x402_payments where network = $1 and asset = $2 and payer = $3 limit 1)
      union all
      (select status from x402_payments where network = $1 and asset = $2 and payer = $3 and status = 'settled' limit 1)
    ) as rows`,
  },
  findAll: {
    name: 'x402 find payments',
    text: `select ${columns} from x402_payments p
      join jsonb_to_recordset($3::jsonb) as k (network text, asset text, payer text, nonce text)
        on p.network = k.network and p.asset = k.asset and p.payer = k.payer and p.nonce = k.nonce`,
  },
  // Status and owner are compared in the same statement that changes the row: whoever lost the row changes nothing.
  change: {
    name: 'x402 change payment',
    text: `update x402_payments set
        status = $4,
        lease_owner = case when $5::float8 is null then null else lease_owner end,
        lease_until = now() + $5::float8 * interval '1 ms',
        body = coalesce($6, body),
        tx_hash = coalesce($7, tx_hash),
        confirmed = coalesce($8, confirmed),
        final = coalesce($9, final),
        block = coalesce($10, block),
        header = case when $4 = 'settled' then null else header end,
        settled_at = case when $4 = 'settled' then coalesce(settled_at, now()) when $4 = 'denied' then settled_at end,
        updated_at = now()
      where id = $1 and status = $2 and lease_owner is not distinct from $3::uuid`,
  },
  delete: {
    name: 'x402 delete payment',
    text: `delete from x402_payments where id = $1 and status = $2 and lease_owner is not distinct from $3::uuid`,
  },
  take: {
    name: 'x402 take payment',
    text: `update x402_payments as p set status = $6, lease_owner = $7, lease_until = now() + $8 * interval '1 ms', updated_at = now()
      where p.id = $3 and p.status = $4 and p.lease_owner is not distinct from $5::uuid
        and (p.lease_until is null or p.lease_until < now())
      returning ${columns}`,
  },
  renew: {
    name: 'x402 renew',
    text: `update x402_payments set lease_until = now() + $3 * interval '1 ms' where id = $1 and lease_owner = $2`,
  },
  release: {
    name: 'x402 release',
    text: `update x402_payments set lease_owner = null, lease_until = null where id = $1 and status = $2 and lease_owner = $3`,
  },
  delivered: {
    name: 'x402 delivered',
    text: `update x402_payments set delivered_at = coalesce(delivered_at, now()), updated_at = now() where id = $1`,
  },
  due: {
    name: 'x402 due',
    text: `select ${columns} from x402_payments p
      where (p.status in ('settling', 'unknown', 'released', 'refused') or (p.status = 'settled' and not p.final))
        and (p.lease_until is null or p.lease_until < now()) and ($4::text is null or p.network = $4)
      order by p.looked_at nulls first, p.id limit $3`,
  },
  looked: { name: 'x402 looked', text: `update x402_payments set looked_at = clock_timestamp() where id = $1` },
  clearClaims: {
    name: 'x402 clear claims',
    text: `update x402_payments set status = 'released', lease_owner = null, lease_until = null, updated_at = now()
      where status = 'processing' and lease_until < now()`,
  },
  clearBodies: {
    name: 'x402 clear bodies',
    text: `update x402_payments set body = null, request = null
      where status in ('settled', 'denied') and body is not null
        and (delivered_at < now() - $1 * interval '1 ms'
             or (delivered_at is null and settled_at < now() - $2 * interval '1 ms'))`,
  },
  // What the audit has compared stays in its sums.
  clearRows: {
    name: 'x402 clear rows',
    text: `with gone as (
        delete from x402_payments
        where (status = 'settled' and settled_at < now() - $1 * interval '1 ms')
          or (status = 'denied' and updated_at < now() - $1 * interval '1 ms')
        returning network, asset, pay_to, amount, block, status
      )
      update x402_audits a set removed = a.removed + old.amount
      from (select a.network, a.asset, a.pay_to, sum(gone.amount) as amount
            from gone join x402_audits a using (network, asset, pay_to)
            where gone.status = 'settled' and gone.block between a.first_block and a.last_block group by 1, 2, 3) as old
      where (a.network, a.asset, a.pay_to) = (old.network, old.asset, old.pay_to)`,
  },
} as const;
