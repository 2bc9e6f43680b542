-- The account page: who may sign in to an account, who is signed in, and what was done there.

alter table accounts add column role text not null default 'member' check (role in ('member', 'operator'));

-- One wallet, one account: its address is the name under which it signs in.
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

-- Tokens are random and sent once; what is stored is their SHA-256.
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
  -- What it was begun with, which may be gone since.
  wallet_id    bigint,
  passkey_id   bigint,
  ip           text not null,
  user_agent   text not null,
  created_at   timestamptz not null default now(),
  last_seen_at timestamptz not null default now(),
  -- The end however busy it is; idle ones end earlier.
  expires_at   timestamptz not null,
  -- Until when one change of wallets or passkeys may be made: there was a fresh signature.
  confirmed_until timestamptz,
  revoked_at   timestamptz
);
create index account_sessions_account on account_sessions (account_id);
create index account_sessions_expires on account_sessions (expires_at);

-- What is to be signed: a message or a challenge, for one purpose, by one browser, once. Taken by deleting it.
create table account_challenges (
  hash         bytea primary key check (octet_length(hash) = 32),
  browser_hash bytea not null check (octet_length(browser_hash) = 32),
  purpose      text not null check (purpose in ('sign-in', 'confirm', 'add', 'invitation')),
  method       text not null check (method in ('wallet', 'passkey')),
  -- The message as it was given, or the passkey's challenge.
  content      text not null,
  -- Whose: null for whoever is about to sign in.
  account_id   bigint references accounts,
  created_at   timestamptz not null default now(),
  expires_at   timestamptz not null
);
create index account_challenges_expires on account_challenges (expires_at);

-- Who did what, when and from where. Added to, never changed.
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

-- Calls by day (UTC), endpoint and what came of them: `answered`, or the code of the error.
create table account_calls (
  account_id bigint not null references accounts,
  day        date not null,
  endpoint   text not null,
  outcome    text not null,
  calls      bigint not null check (calls > 0),
  primary key (account_id, day, endpoint, outcome)
) with (fillfactor = 50);
create index account_calls_day on account_calls (day);

-- What the wallets of an account paid for.
create index x402_payments_payer on x402_payments (payer, id);

-- The last comparison of each kind's index with the tables.
create table search_verifications (
  kind        text primary key check (kind in ('companies', 'people', 'investors', 'events')),
  generation  text not null,
  at          timestamptz not null default now(),
  outcome     text not null check (outcome in ('equal', 'different', 'unjudged', 'incomplete')),
  rows        bigint not null,
  differences bigint not null,
  deep        boolean not null
);
