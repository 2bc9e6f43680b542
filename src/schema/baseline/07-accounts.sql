-- Plans, accounts and the keys of the keyed API. A null limit means none.

create table plans (
  name             text primary key check (name ~ '^[a-z][a-z0-9_-]{0,62}$'),
  calls_per_minute integer check (calls_per_minute > 0),
  calls_per_month  bigint check (calls_per_month > 0),
  active           boolean not null default true,
  created_at       timestamptz not null default now(),
  updated_at       timestamptz not null default now()
);

insert into plans (name, calls_per_minute, calls_per_month) values
  ('starter', 60, 50000),
  ('growth', 300, 500000),
  ('scale', 1200, 5000000);

create table accounts (
  id         bigint generated always as identity primary key,
  name       text not null unique check (name = btrim(name) and name <> ''),
  plan       text not null references plans,
  active     boolean not null default true,
  role       text not null default 'member' check (role in ('member', 'operator')),
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);

-- The key itself is shown once and never stored; it is found by its SHA-256.
create table api_keys (
  id           bigint generated always as identity primary key,
  account_id   bigint not null references accounts,
  name         text not null check (name = btrim(name) and name <> ''),
  prefix       text not null,
  hash         bytea not null unique check (octet_length(hash) = 32),
  created_at   timestamptz not null default now(),
  last_used_at timestamptz,
  expires_at   timestamptz,
  revoked_at   timestamptz
);
create index api_keys_account on api_keys (account_id);

create table api_key_audit (
  id     bigint generated always as identity primary key,
  at     timestamptz not null default now(),
  key_id bigint not null references api_keys,
  action text not null check (action in ('created', 'changed', 'revoked')),
  actor  text not null,
  detail jsonb not null default '{}'
);
create index api_key_audit_key on api_key_audit (key_id, at);
