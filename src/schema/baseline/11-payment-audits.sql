-- The comparison of the payments with the chain.

-- The blocks whose transfers of a token to one recipient were compared with the rows: all from the first to the last one.
-- The process that continues from there holds the lease.
create table x402_audits (
  network      text not null,
  asset        text not null check (asset = lower(asset)),
  pay_to       text not null check (pay_to = lower(pay_to)),
  first_block  bigint not null check (first_block >= 0),
  last_block   bigint not null,
  -- The number of transfers in these blocks, and their sum.
  transfers    bigint not null default 0,
  received     numeric(78, 0) not null default 0,
  -- The sum of the rows settled in these blocks that were removed after their retention.
  removed      numeric(78, 0) not null default 0,
  lease_owner  uuid,
  lease_until  timestamptz,
  -- The time the last block that could be compared was reached.
  finished_at  timestamptz,
  created_at   timestamptz not null default now(),
  primary key (network, asset, pay_to),
  check (last_block >= first_block - 1),
  check ((lease_owner is null) = (lease_until is null))
);

-- The findings: a transfer without a row, or a settled row whose transfer is not in its block.
create table x402_audit_findings (
  id              bigint generated always as identity primary key,
  kind            text not null check (kind in ('transfer_without_row', 'row_without_transfer')),
  network         text not null,
  asset           text not null,
  pay_to          text not null,
  tx_hash         text not null check (tx_hash = lower(tx_hash)),
  -- The index of the transfer among the token's events in its transaction, from 0; null for a row.
  event_at        integer,
  block           bigint not null,
  payer           text not null,
  amount          numeric(78, 0) not null,
  -- The id of the row in question; null where there is none.
  payment         bigint,
  found_at        timestamptz not null default now(),
  checked_at      timestamptz not null default now(),
  -- The time a later check no longer found it.
  resolved_at     timestamptz,
  -- Set by an operator who knows the reason, which the note gives.
  acknowledged_at timestamptz,
  note            text check (note <> ''),
  unique nulls not distinct (network, asset, pay_to, kind, tx_hash, event_at, payment),
  check ((acknowledged_at is null) = (note is null))
);
create index x402_audit_findings_open on x402_audit_findings (checked_at)
  where resolved_at is null and acknowledged_at is null;
