// Postgres' part in payments: what is claimed, compared and changed in one statement each.

/** The columns of a row `p`; `$1` is the replay window in milliseconds. */
const columns = `p.id, p.network, p.asset, p.pay_to, p.payer, p.nonce, p.amount::text, p.valid_before::text, p.status,
  p.lease_owner, p.request_hash, p.signature_hash, p.payment_id, p.header, p.body, p.from_block, p.tx_hash, p.confirmed,
  p.created_at, p.delivered_at, coalesce(p.lease_until > now(), false) as leased,
  coalesce(p.delivered_at > now() - $1 * interval '1 ms', false) as replayable`;

/** Every statement about rows, by name. Prepared once a connection. */
export const paymentSql = {
  claim: {
    name: 'x402 claim',
    text: `select c.verdict, ${columns.replaceAll(/\bp\./g, '(c.payment).')}
      from x402_claim($2::jsonb, $3::uuid, $4 * interval '1 ms', $5::int, $6 * interval '1 ms') as c`,
  },
  find: {
    name: 'x402 find',
    text: `select ${columns} from x402_payments p where p.network = $2 and p.asset = $3 and p.payer = $4 and p.nonce = $5`,
  },
  read: { name: 'x402 read', text: `select ${columns} from x402_payments p where p.id = $2` },
  // Status and owner are compared in the same statement that changes the row: whoever lost the row changes nothing.
  change: {
    name: 'x402 change',
    text: `update x402_payments set
        status = $4,
        lease_owner = case when $5::float8 is null then null else lease_owner end,
        lease_until = now() + $5::float8 * interval '1 ms',
        body = coalesce($6, body),
        from_block = coalesce($7, from_block),
        tx_hash = coalesce($8, tx_hash),
        confirmed = confirmed or $9,
        header = case when $4 = 'settled' then null else header end,
        settled_at = case when $4 = 'settled' then coalesce(settled_at, now()) end,
        delivered_at = case when $10 then coalesce(delivered_at, now()) else delivered_at end,
        updated_at = now()
      where id = $1 and status = $2 and lease_owner is not distinct from $3::uuid`,
  },
  delete: {
    name: 'x402 delete',
    text: `delete from x402_payments where id = $1 and status = $2 and lease_owner is not distinct from $3::uuid`,
  },
  take: {
    name: 'x402 take',
    text: `update x402_payments as p set status = $5, lease_owner = $6, lease_until = now() + $7 * interval '1 ms', updated_at = now()
      where p.id = $2 and p.status = $3 and p.lease_owner is not distinct from $4::uuid
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
  leftBehind: {
    name: 'x402 left behind',
    text: `select ${columns} from x402_payments p
      where p.status in ('settling', 'unknown') and (p.lease_until is null or p.lease_until < now())
      order by p.id limit $2`,
  },
  unconfirmed: {
    name: 'x402 unconfirmed',
    text: `select ${columns} from x402_payments p
      where p.status = 'settled' and not p.confirmed and (p.lease_until is null or p.lease_until < now())
      order by p.id limit $2`,
  },
  clearClaims: {
    name: 'x402 clear claims',
    text: `delete from x402_payments where status = 'processing' and lease_until < now()`,
  },
  clearBodies: {
    name: 'x402 clear bodies',
    text: `update x402_payments set body = null, request = null
      where status = 'settled' and body is not null
        and (delivered_at < now() - $1 * interval '1 ms'
             or (delivered_at is null and settled_at < now() - $2 * interval '1 ms'))`,
  },
  clearRows: {
    name: 'x402 clear rows',
    text: `delete from x402_payments where status = 'settled' and settled_at < now() - $1 * interval '1 ms'`,
  },
} as const;
