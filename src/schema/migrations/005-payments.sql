-- Payments for searches: one row an authorization (EIP-3009), from its claim on. src/payments/ledger/states.ts has the states.
--
-- The row is the purchase: it holds who works on it (lease), what was found (body), and what became of the money. It
-- is deleted when it is certain that nothing was and will be taken; it stays, as the ledger, when money has moved.

create table x402_payments (
  id             bigint generated always as identity primary key,
  network        text not null,
  asset          text not null check (asset = lower(asset)),
  pay_to         text not null check (pay_to = lower(pay_to)),
  payer          text not null check (payer = lower(payer)),
  nonce          text not null check (nonce = lower(nonce)),
  amount         numeric(78, 0) not null check (amount > 0),
  valid_before   numeric(78, 0) not null,
  status         text not null check (status in ('processing', 'settling', 'unknown', 'settled')),
  -- Who works on it, and until when that is believed without renewal.
  lease_owner    uuid,
  lease_until    timestamptz,
  request        jsonb,
  request_hash   text not null check (length(request_hash) = 64),
  signature_hash text not null check (length(signature_hash) = 64),
  payment_id     text,
  -- The payment as it was sent, as long as it may have to be settled again.
  header         text,
  -- The answer's text without its transaction: kept as text, so that a replay is the same to the byte.
  body           text,
  from_block     bigint,
  tx_hash        text check (tx_hash = lower(tx_hash)),
  -- False where the facilitator's word was taken because the chain could not be asked.
  confirmed      boolean not null default false,
  created_at     timestamptz not null default now(),
  updated_at     timestamptz not null default now(),
  settled_at     timestamptz,
  delivered_at   timestamptz,
  unique (network, asset, payer, nonce),
  check ((lease_owner is null) = (lease_until is null)),
  check ((status = 'settled') = (settled_at is not null)),
  check (status <> 'settled' or tx_hash is not null),
  check (status not in ('settling', 'unknown') or (body is not null and header is not null)),
  check (delivered_at is null or status = 'settled')
);

-- One purchase of a payer for one search at a time, whatever authorization it is paid with.
create unique index x402_payments_open on x402_payments (network, asset, payer, request_hash) where status <> 'settled';
create unique index x402_payments_identifier on x402_payments (network, payer, payment_id) where payment_id is not null;
create index x402_payments_undelivered on x402_payments (payer, request_hash) where status = 'settled' and delivered_at is null;
create index x402_payments_unsettled on x402_payments (lease_until) where status <> 'settled';
create index x402_payments_unconfirmed on x402_payments (id) where status = 'settled' and not confirmed;
create index x402_payments_with_body on x402_payments (delivered_at, settled_at) where body is not null;
create index x402_payments_settled on x402_payments (settled_at);
create index x402_payments_transaction on x402_payments (tx_hash);

-- Finds what a payment meets, or makes its row; all of one payer's claims are decided one after another, so that none
-- sees half of another's decision. A settlement may end meanwhile: that makes an open purchase a paid one, and "paid"
-- is looked for in the same statement.
create function x402_claim(
  claim jsonb, claim_owner uuid, lease interval, open_max integer, claimable interval
) returns table (verdict text, payment x402_payments)
language plpgsql as $$
declare
  found_row x402_payments;
begin
  perform pg_advisory_xact_lock(hashtextextended('x402 ' || (claim ->> 'network') || (claim ->> 'payer'), 0));

  -- What only processed and was left behind has charged nothing.
  delete from x402_payments p
  where p.network = claim ->> 'network' and p.asset = claim ->> 'asset' and p.payer = claim ->> 'payer'
    and p.status = 'processing' and p.lease_until < now();

  select * into found_row from x402_payments p
  where p.network = claim ->> 'network' and p.asset = claim ->> 'asset' and p.payer = claim ->> 'payer'
    and p.nonce = claim ->> 'nonce';
  if found then
    return query select 'known', found_row;
    return;
  end if;

  select * into found_row from x402_payments p
  where p.network = claim ->> 'network' and p.asset = claim ->> 'asset' and p.payer = claim ->> 'payer'
    and p.request_hash = claim ->> 'requestHash'
    and (p.status <> 'settled'
         or (p.delivered_at is null and p.body is not null and p.settled_at > now() - claimable))
  order by (p.status <> 'settled') desc, p.id
  limit 1;
  if found then
    return query select 'earlier', found_row;
    return;
  end if;

  if claim ->> 'paymentId' is not null then
    select * into found_row from x402_payments p
    where p.network = claim ->> 'network' and p.payer = claim ->> 'payer' and p.payment_id = claim ->> 'paymentId';
    if found then
      return query select 'identified', found_row;
      return;
    end if;
  end if;

  if (select count(*) from x402_payments p
      where p.network = claim ->> 'network' and p.asset = claim ->> 'asset' and p.payer = claim ->> 'payer'
        and p.status <> 'settled' and p.lease_until > now()) >= open_max then
    return query select 'capped', null::x402_payments;
    return;
  end if;

  insert into x402_payments (
    network, asset, pay_to, payer, nonce, amount, valid_before, status, lease_owner, lease_until,
    request, request_hash, signature_hash, payment_id, header
  ) values (
    claim ->> 'network', claim ->> 'asset', claim ->> 'payTo', claim ->> 'payer', claim ->> 'nonce',
    (claim ->> 'amount')::numeric, (claim ->> 'validBefore')::numeric, 'processing', claim_owner, now() + lease,
    claim -> 'request', claim ->> 'requestHash', claim ->> 'signatureHash', claim ->> 'paymentId', claim ->> 'header'
  ) returning * into found_row;
  return query select 'claimed', found_row;
end $$;
