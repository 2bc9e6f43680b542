-- A signed authorization can be brought to the chain by whoever has seen it, until it expires. So a payment that was
-- given up stays until the chain has shown that it can move no money any more: `released` after an answer that asks for
-- the same payment again, `refused` after a 402. `denied` is what was settled on somebody's word, and never arrived.
-- src/payment/states.ts has the states.

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
