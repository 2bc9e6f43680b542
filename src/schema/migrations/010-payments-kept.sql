-- A signed authorization can be brought to the chain by whoever has seen it, until it expires. So a payment that was
-- given up stays until the chain has shown that it can move no money any more: `released` after an answer that asks for
-- the same payment again, `refused` after a 402. `denied` is what was settled on somebody's word, and never arrived.
-- src/payments/ledger/states.ts has the states.

alter table x402_payments
  -- Shown by the chain in a block that is not taken back any more.
  add column final boolean not null default false,
  -- The block of its transfer.
  add column block bigint,
  -- When the chain was last asked about it: the least recently looked at comes first.
  add column looked_at timestamptz,
  drop constraint x402_payments_status_check,
  drop constraint x402_payments_check1,
  drop constraint x402_payments_check4,
  add constraint x402_payments_status_check check
    (status in ('processing', 'settling', 'unknown', 'released', 'refused', 'settled', 'denied')),
  add constraint x402_payments_settled_check check
    (case status when 'settled' then settled_at is not null when 'denied' then true else settled_at is null end),
  add constraint x402_payments_given_up_check check (status not in ('released', 'refused') or header is not null),
  add constraint x402_payments_final_check check (not final or (status = 'settled' and confirmed));

-- What was confirmed before this version is older than any block that could be taken back.
update x402_payments set final = true where status = 'settled' and confirmed;

drop index x402_payments_open;
create unique index x402_payments_open on x402_payments (network, asset, payer, request_hash)
  where status in ('processing', 'settling', 'unknown');
drop index x402_payments_undelivered;
create index x402_payments_purchase on x402_payments (payer, request_hash) where status <> 'settled' or body is not null or delivered_at is null;
drop index x402_payments_unsettled;
create index x402_payments_processing on x402_payments (lease_until) where status = 'processing';
drop index x402_payments_unconfirmed;
create index x402_payments_due on x402_payments (looked_at nulls first, id)
  where status in ('settling', 'unknown', 'released', 'refused') or (status = 'settled' and not final);
create index x402_payments_block on x402_payments (network, asset, pay_to, block) where status = 'settled';
-- Who was ever paid, and from which block on.
create index x402_payments_recipient on x402_payments (network, asset, pay_to, from_block);
-- What an operator is told of.
create index x402_payments_undelivered on x402_payments (settled_at) where status = 'settled' and delivered_at is null;
create index x402_payments_denied on x402_payments (updated_at) where status = 'denied';

-- Finds what a payment meets, or makes its row; all of one payer's claims are decided one after another, so that none
-- sees half of another's decision. A settlement may end meanwhile: that makes an open purchase a paid one, and "paid"
-- is looked for in the same statement. The function of the same name with five arguments serves processes of the
-- version before, until they are gone.
create function x402_claim(claim jsonb, settings jsonb) returns table (verdict text, payment x402_payments)
language plpgsql as $$
declare
  found_row x402_payments;
  known_row x402_payments;
begin
  perform pg_advisory_xact_lock(hashtextextended('x402 ' || (claim ->> 'network') || (claim ->> 'payer'), 0));

  -- What only processed and was left behind has settled nothing.
  update x402_payments p set status = 'released', lease_owner = null, lease_until = null, updated_at = now()
  where p.network = claim ->> 'network' and p.asset = claim ->> 'asset' and p.payer = claim ->> 'payer'
    and p.status = 'processing' and p.lease_until < now();

  select * into known_row from x402_payments p
  where p.network = claim ->> 'network' and p.asset = claim ->> 'asset' and p.payer = claim ->> 'payer'
    and p.nonce = claim ->> 'nonce';
  if known_row.id is not null and known_row.status not in ('released', 'refused') then
    return query select 'known', known_row;
    return;
  end if;

  -- The open one first, then what is paid, then what was given up and may still land.
  select * into found_row from x402_payments p
  where p.network = claim ->> 'network' and p.asset = claim ->> 'asset' and p.payer = claim ->> 'payer'
    and p.request_hash = claim ->> 'requestHash' and p.nonce <> claim ->> 'nonce'
    and case p.status
      when 'settled' then
        (p.delivered_at is null and p.settled_at > now() - (settings ->> 'claimableMs')::float8 * interval '1 ms')
        or (p.body is not null and p.delivered_at > now() - (settings ->> 'repeatMs')::float8 * interval '1 ms')
      when 'denied' then false
      when 'refused' then not (claim -> 'looked' @> to_jsonb(p.id))
      else true
    end
  order by case p.status when 'settled' then 1 when 'released' then 2 when 'refused' then 3 else 0 end, p.id
  limit 1;
  if found then
    return query select 'earlier', found_row;
    return;
  end if;

  if claim ->> 'paymentId' is not null then
    select * into found_row from x402_payments p
    where p.network = claim ->> 'network' and p.payer = claim ->> 'payer' and p.payment_id = claim ->> 'paymentId'
      and p.nonce <> claim ->> 'nonce';
    if found then
      return query select 'identified', found_row;
      return;
    end if;
  end if;

  if (select count(*) from x402_payments p
      where p.network = claim ->> 'network' and p.asset = claim ->> 'asset' and p.payer = claim ->> 'payer'
        and p.status in ('processing', 'settling', 'unknown') and p.lease_until > now()) >= (settings ->> 'openMax')::int
    or (known_row.id is null and
      (select count(*) from x402_payments p
       where p.network = claim ->> 'network' and p.asset = claim ->> 'asset' and p.payer = claim ->> 'payer'
         and p.status in ('released', 'refused')) >= (settings ->> 'givenUpMax')::int) then
    return query select 'capped', null::x402_payments;
    return;
  end if;

  if known_row.id is not null then
    return query select 'known', known_row;
    return;
  end if;
  if not (claim ->> 'mayOpen')::boolean then
    return query select 'barred', null::x402_payments;
    return;
  end if;

  insert into x402_payments (
    network, asset, pay_to, payer, nonce, amount, valid_before, status, lease_owner, lease_until,
    request, request_hash, signature_hash, payment_id, header, from_block
  ) values (
    claim ->> 'network', claim ->> 'asset', claim ->> 'payTo', claim ->> 'payer', claim ->> 'nonce',
    (claim ->> 'amount')::numeric, (claim ->> 'validBefore')::numeric, 'processing', (claim ->> 'owner')::uuid,
    now() + (claim ->> 'leaseMs')::float8 * interval '1 ms',
    claim -> 'request', claim ->> 'requestHash', claim ->> 'signatureHash', claim ->> 'paymentId', claim ->> 'header',
    (claim ->> 'fromBlock')::bigint
  ) returning * into found_row;
  return query select 'claimed', found_row;
end $$;

-- How far the transfers of a token to one recipient were compared with the rows. All blocks from the first to the last
-- one were; a process that goes on from there holds the lease.
create table x402_audits (
  network      text not null,
  asset        text not null check (asset = lower(asset)),
  pay_to       text not null check (pay_to = lower(pay_to)),
  first_block  bigint not null check (first_block >= 0),
  last_block   bigint not null,
  -- Transfers in these blocks, and their sum.
  transfers    bigint not null default 0,
  received     numeric(78, 0) not null default 0,
  -- The sum of rows settled in these blocks that were kept long enough and are removed.
  removed      numeric(78, 0) not null default 0,
  lease_owner  uuid,
  lease_until  timestamptz,
  -- When the last block that could be compared was reached.
  finished_at  timestamptz,
  created_at   timestamptz not null default now(),
  primary key (network, asset, pay_to),
  check (last_block >= first_block - 1),
  check ((lease_owner is null) = (lease_until is null))
);

-- What the comparison found: a transfer that no row accounts for, a settled row whose transfer is not in its block.
create table x402_audit_findings (
  id              bigint generated always as identity primary key,
  kind            text not null check (kind in ('transfer_without_row', 'row_without_transfer')),
  network         text not null,
  asset           text not null,
  pay_to          text not null,
  tx_hash         text not null check (tx_hash = lower(tx_hash)),
  -- The transfer's place among the token's events in its transaction, counted from 0; null for a row.
  event_at        integer,
  block           bigint not null,
  payer           text not null,
  amount          numeric(78, 0) not null,
  -- The id of the row in question; null where there is none.
  payment         bigint,
  found_at        timestamptz not null default now(),
  checked_at      timestamptz not null default now(),
  -- Looked at again, it was not there any more.
  resolved_at     timestamptz,
  -- Somebody knows why it is so.
  acknowledged_at timestamptz,
  note            text check (note <> ''),
  unique nulls not distinct (network, asset, pay_to, kind, tx_hash, event_at, payment),
  check ((acknowledged_at is null) = (note is null))
);
create index x402_audit_findings_open on x402_audit_findings (checked_at) where resolved_at is null and acknowledged_at is null;
