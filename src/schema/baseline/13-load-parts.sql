-- A load in parts: ranges of a kind's ids, each loaded by whichever worker claims it. docs/indexing.md has how.

-- One process that reindexes, and what it and those who help it may ask of Elasticsearch together.
create table search_load_runs (
  id           bigint generated always as identity primary key,
  -- The release of its leader; workers of another one are refused.
  release      text not null,
  requests     integer not null check (requests > 0),
  -- Beyond how many rejected documents its workers stop.
  dead_letters jsonb not null,
  -- Counts the changes of shares: who changes his goes by what he has read of the others.
  turn         bigint not null default 0,
  started_at   timestamptz not null default now()
);

-- Who loads. A worker that has not been seen for a while is deleted by the others, which frees its parts.
create table search_load_workers (
  id        bigint generated always as identity primary key,
  run_id    bigint not null references search_load_runs on delete cascade,
  name      text not null,
  leads     boolean not null,
  -- Its share of the run's requests at the same time.
  requests  integer not null check (requests >= 0),
  seen_at   timestamptz not null default clock_timestamp()
);
create index search_load_workers_run on search_load_workers (run_id);

-- The load of a generation, from its first part until its index is caught up.
create table search_loads (
  generation_id bigint primary key references search_generations on delete cascade,
  run_id        bigint references search_load_runs on delete set null,
  -- How many there are: a part that somebody removed must not count as done.
  parts         integer not null check (parts > 0),
  -- Why a worker found that nobody should go on.
  stopped       text
);
create index search_loads_run on search_loads (run_id);

-- Rows above `after_id` up to `up_to_id`; those up to `resume_id` are acknowledged, all of them where it is done.
create table search_load_parts (
  generation_id bigint not null references search_loads on delete cascade,
  part          integer not null,
  after_id      bigint not null,
  up_to_id      bigint not null check (up_to_id >= after_id),
  resume_id     bigint not null check (resume_id between after_id and up_to_id),
  rows          bigint not null default 0,
  bytes         bigint not null default 0,
  done          boolean not null default false,
  worker_id     bigint references search_load_workers on delete set null,
  primary key (generation_id, part)
);
create index search_load_parts_worker on search_load_parts (worker_id) where worker_id is not null;
