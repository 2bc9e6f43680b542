-- The comparison of the payments with the chain.

-- Every address that was ever configured as a recipient. Transfers to each of them are compared.
create table x402_recipients (
  network      text not null,
  asset        text not null check (asset = lower(asset)),
  pay_to       text not null check (pay_to = lower(pay_to)),
  created_at   timestamptz not null default now(),
  -- The time when the last turn began. Processes take turns.
  started_at   timestamptz,
  -- The block at which the next turn continues; null if it begins again.
  next_block   bigint,
  -- The time the last days were compared to the end.
  finished_at  timestamptz,
  primary key (network, asset, pay_to)
);

-- The findings: a transfer without a row, a settled row without its transfer, blocks that the node can't show, or a
-- payment that a reorganisation has reversed.
create table x402_audit_findings (
  id              bigint generated always as identity primary key,
  kind            text not null check (kind in ('transfer_without_row', 'row_without_transfer', 'unreadable', 'reversed')),
  network         text not null,
  asset           text not null,
  pay_to          text not null,
  block           bigint not null,
  tx_hash         text check (tx_hash = lower(tx_hash)),
  -- The index of the transfer's log in its block; null for a row.
  log_index       integer,
  payer           text,
  amount          numeric(78, 0),
  -- The id of the row in question; null where there is none.
  payment         bigint,
  found_at        timestamptz not null default now(),
  -- The time when a later check no longer found it.
  resolved_at     timestamptz,
  -- Set by an operator, with the reason in the note.
  acknowledged_at timestamptz,
  note            text check (note <> ''),
  unique nulls not distinct (network, asset, pay_to, kind, block, tx_hash, log_index, payment),
  check ((acknowledged_at is null) = (note is null))
);
create index x402_audit_findings_open on x402_audit_findings (network, asset, pay_to, block)
  where resolved_at is null and acknowledged_at is null;
