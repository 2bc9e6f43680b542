-- Payments for searches: one row per authorization (EIP-3009), from its claim on. src/payments/ledger/states.ts has the
-- states.
--
-- The row is the purchase: it holds the process that works on it (lease), the search's answer (body), and the transfer. A
-- signed authorization can be submitted to the chain by anyone who has seen it, until it expires. So a row stays until a
-- final block shows that it can no longer move money, or until it was settled and kept long enough.

create table x402_payments (
  id             bigint generated always as identity primary key,
  network        text not null,
  asset          text not null check (asset = lower(asset)),
  pay_to         text not null check (pay_to = lower(pay_to)),
  payer          text not null check (payer = lower(payer)),
  nonce          text not null check (nonce = lower(nonce)),
  amount         numeric(78, 0) not null check (amount > 0),
  valid_before   numeric(78, 0) not null,
  status         text not null check (status in ('processing', 'released', 'settling', 'settled')),
  -- The request that works on it, and the end of its lease unless it is renewed.
  lease_owner    uuid,
  lease_until    timestamptz,
  request        jsonb not null,
  request_hash   text not null check (length(request_hash) = 64),
  signature_hash text not null check (length(signature_hash) = 64),
  payment_id     text,
  -- The payment as it was sent, kept while it may be settled again.
  header         text,
  -- The text of the answer without its transaction. It is stored as text, so that a replay has the same bytes.
  body           text,
  -- The block from which on the transfer is searched for.
  from_block     bigint not null,
  -- The transfer, and its block.
  tx_hash        text check (tx_hash = lower(tx_hash)),
  block          bigint,
  -- True if the chain shows it in a final block.
  final          boolean not null default false,
  -- The time the chain was last queried about it; the payment with the oldest one is next.
  looked_at      timestamptz,
  created_at     timestamptz not null default now(),
  updated_at     timestamptz not null default now(),
  settled_at     timestamptz,
  delivered_at   timestamptz,
  unique (network, asset, payer, nonce),
  constraint x402_payments_lease_check check ((lease_owner is null) = (lease_until is null)),
  constraint x402_payments_settled_check check ((status = 'settled') = (settled_at is not null)),
  constraint x402_payments_transaction_check check (status <> 'settled' or tx_hash is not null),
  constraint x402_payments_settling_check check (status <> 'settling' or body is not null),
  constraint x402_payments_header_check check (status = 'settled' or header is not null),
  constraint x402_payments_final_check check (not final or status = 'settled')
);

-- One open purchase per payer and search, whichever authorization it is paid with.
create unique index x402_payments_open on x402_payments (network, asset, payer, request_hash)
  where status in ('processing', 'settling');
create unique index x402_payments_identifier on x402_payments (network, payer, payment_id) where payment_id is not null;
create index x402_payments_purchase on x402_payments (payer, request_hash)
  where status <> 'settled' or body is not null or delivered_at is null;
create index x402_payments_processing on x402_payments (lease_until) where status = 'processing';
create index x402_payments_due on x402_payments (looked_at nulls first, id)
  where status in ('settling', 'released') or (status = 'settled' and not final);
create index x402_payments_with_body on x402_payments (delivered_at, settled_at) where body is not null;
create index x402_payments_settled on x402_payments (settled_at);
create index x402_payments_transaction on x402_payments (tx_hash);
create index x402_payments_block on x402_payments (network, asset, pay_to, block) where status = 'settled';
-- Payments that operators are warned about.
create index x402_payments_undelivered on x402_payments (settled_at) where status = 'settled' and delivered_at is null;
-- Payments of an account's wallets.
create index x402_payments_payer on x402_payments (payer, id);

-- Claims a payment: returns the row that already decides about it, or inserts its row. Claims of one payer are
-- serialised. A settlement may end meanwhile and turn an open purchase into a paid one, so one statement searches for
-- both.
create function x402_claim(claim jsonb, settings jsonb) returns table (verdict text, payment x402_payments)
language plpgsql as $$
declare
  found_row x402_payments;
  known_row x402_payments;
  unsettled int;
  reserved numeric;
  -- Null if the node gave no answer.
  spent boolean := claim #>> '{onChain,spent}';
begin
  perform pg_advisory_xact_lock(hashtextextended('x402 ' || (claim ->> 'network') || (claim ->> 'payer'), 0));

  -- A payment whose process died before the settlement was never settled.
  update x402_payments p set status = 'released', lease_owner = null, lease_until = null, updated_at = now()
  where p.network = claim ->> 'network' and p.asset = claim ->> 'asset' and p.payer = claim ->> 'payer'
    and p.status = 'processing' and p.lease_until < now();

  select * into known_row from x402_payments p
  where p.network = claim ->> 'network' and p.asset = claim ->> 'asset' and p.payer = claim ->> 'payer'
    and p.nonce = claim ->> 'nonce';
  if known_row.id is not null and known_row.status <> 'released' then
    return query select 'known', known_row;
    return;
  end if;

  -- A spent authorization is public, so it proves no right to another payment.
  if not spent then
    -- First an open payment, then a paid one, then a released one that may still be settled.
    select * into found_row from x402_payments p
    where p.network = claim ->> 'network' and p.asset = claim ->> 'asset' and p.payer = claim ->> 'payer'
      and p.request_hash = claim ->> 'requestHash' and p.nonce <> claim ->> 'nonce'
      and (p.status <> 'settled'
        or (p.delivered_at is null and p.settled_at > now() - (settings ->> 'claimableMs')::float8 * interval '1 ms')
        or (p.body is not null and p.delivered_at > now() - (settings ->> 'repeatMs')::float8 * interval '1 ms'))
    order by case p.status when 'settled' then 1 when 'released' then 2 else 0 end, p.id
    limit 1;
    if found then
      -- A payer who returns late for an undelivered answer gets a new one, because results change.
      if found_row.settled_at < now() - (settings ->> 'repeatMs')::float8 * interval '1 ms'
        and found_row.delivered_at is null then
        update x402_payments p set body = null where p.id = found_row.id returning * into found_row;
      end if;
      return query select 'earlier', found_row;
      return;
    end if;

    select * into found_row from x402_payments p
    where p.network = claim ->> 'network' and p.payer = claim ->> 'payer' and p.payment_id = claim ->> 'paymentId'
      and p.nonce <> claim ->> 'nonce';
    if found then
      return query select 'identified', found_row;
      return;
    end if;
  end if;

  -- The balance was read before a block in which the payer's own payments may have landed since.
  select count(*) filter (where p.status <> 'settled'),
    coalesce(sum(p.amount) filter (where p.status in ('processing', 'settling')
      or (p.status = 'settled' and p.block > (claim #>> '{onChain,block}')::bigint)), 0)
  into unsettled, reserved
  from x402_payments p
  where p.network = claim ->> 'network' and p.asset = claim ->> 'asset' and p.payer = claim ->> 'payer';
  if (select count(*) from x402_payments p
      where p.network = claim ->> 'network' and p.asset = claim ->> 'asset' and p.payer = claim ->> 'payer'
        and p.status in ('processing', 'settling') and p.lease_until > now()) >= (settings ->> 'openMax')::int
    or (known_row.id is null and unsettled >= (settings ->> 'unsettledMax')::int) then
    return query select 'capped', null::x402_payments;
    return;
  end if;

  if known_row.id is not null then
    return query select 'known', known_row;
    return;
  end if;
  if spent is null
    or (not spent and (claim #>> '{onChain,balance}')::numeric < reserved + (claim ->> 'amount')::numeric) then
    return query select 'barred', null::x402_payments;
    return;
  end if;

  -- If the authorization is spent, its row was lost, and the chain decides about it.
  insert into x402_payments (
    network, asset, pay_to, payer, nonce, amount, valid_before, status, lease_owner, lease_until,
    request, request_hash, signature_hash, payment_id, header, from_block
  ) values (
    claim ->> 'network', claim ->> 'asset', claim ->> 'payTo', claim ->> 'payer', claim ->> 'nonce',
    (claim ->> 'amount')::numeric, (claim ->> 'validBefore')::numeric,
    case when spent then 'released' else 'processing' end, (claim ->> 'owner')::uuid,
    now() + (claim ->> 'leaseMs')::float8 * interval '1 ms',
    claim -> 'request', claim ->> 'requestHash', claim ->> 'signatureHash',
    case when not spent or not exists (
      select from x402_payments p
      where p.network = claim ->> 'network' and p.payer = claim ->> 'payer' and p.payment_id = claim ->> 'paymentId'
    ) then claim ->> 'paymentId' end, claim ->> 'header', (claim #>> '{onChain,fromBlock}')::bigint
  ) returning * into found_row;
  return query select 'claimed', found_row;
end $$;
