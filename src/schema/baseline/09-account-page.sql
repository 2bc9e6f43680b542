-- The account page: the ways to sign in to an account, its sessions, and its history.

-- A wallet belongs to one account and signs in with its address.
create table account_wallets (
  id           bigint generated always as identity primary key,
  account_id   bigint not null references accounts,
  address      text not null unique check (address ~ '^0x[0-9a-f]{40}$'),
  created_at   timestamptz not null default now(),
  last_used_at timestamptz
);
create index account_wallets_account on account_wallets (account_id);

create table account_passkeys (
  id            bigint generated always as identity primary key,
  account_id    bigint not null references accounts,
  credential_id bytea not null unique check (octet_length(credential_id) between 1 and 1023),
  public_key    bytea not null check (octet_length(public_key) <= 4096),
  sign_count    bigint not null check (sign_count >= 0),
  transports    text[] not null default '{}',
  backed_up     boolean not null,
  name          text not null check (name = btrim(name) and name <> ''),
  created_at    timestamptz not null default now(),
  last_used_at  timestamptz
);
create index account_passkeys_account on account_passkeys (account_id);

-- Tokens are random and sent once; their SHA-256 is stored.
create table account_invitations (
  id         bigint generated always as identity primary key,
  account_id bigint not null references accounts,
  hash       bytea not null unique check (octet_length(hash) = 32),
  created_by text not null,
  created_at timestamptz not null default now(),
  expires_at timestamptz not null,
  used_at    timestamptz
);
create index account_invitations_account on account_invitations (account_id);

create table account_sessions (
  id           bigint generated always as identity primary key,
  account_id   bigint not null references accounts,
  hash         bytea not null unique check (octet_length(hash) = 32),
  method       text not null check (method in ('wallet', 'passkey', 'invitation')),
  -- The wallet or passkey that the session began with, which may have been removed since.
  wallet_id    bigint,
  passkey_id   bigint,
  ip           text not null,
  user_agent   text not null,
  created_at   timestamptz not null default now(),
  last_seen_at timestamptz not null default now(),
  -- The latest end of the session. Idle sessions end earlier.
  expires_at   timestamptz not null,
  -- The time until which one change of wallets or passkeys may be made, after a fresh signature.
  confirmed_until timestamptz,
  revoked_at   timestamptz
);
create index account_sessions_account on account_sessions (account_id);
create index account_sessions_expires on account_sessions (expires_at);

-- Messages and challenges to sign, each for one purpose, by one browser, once. A challenge is taken by deleting it.
create table account_challenges (
  hash         bytea primary key check (octet_length(hash) = 32),
  browser_hash bytea not null check (octet_length(browser_hash) = 32),
  purpose      text not null check (purpose in ('sign-in', 'confirm', 'add', 'invitation')),
  method       text not null check (method in ('wallet', 'passkey')),
  -- The message as it was sent, or the passkey's challenge.
  content      text not null,
  -- Null for a visitor who is about to sign in.
  account_id   bigint references accounts,
  created_at   timestamptz not null default now(),
  expires_at   timestamptz not null
);
create index account_challenges_expires on account_challenges (expires_at);

-- The history: rows are added, never changed.
create table account_events (
  id         bigint generated always as identity primary key,
  at         timestamptz not null default now(),
  account_id bigint not null references accounts,
  actor      text not null,
  action     text not null,
  detail     jsonb not null default '{}',
  ip         text
);
create index account_events_account on account_events (account_id, id);

create function refuse_change() returns trigger language plpgsql as $$
begin
  raise exception 'lines of % are added, never changed', tg_table_name;
end $$;
create trigger account_events_append_only before update or delete or truncate on account_events
  for each statement execute function refuse_change();
