-- The state of each index. A generation is one Elasticsearch index of one kind; the alias of the kind points at the live
-- one. The alias decides which index is live; these rows record how that came about.

-- The id of the database, which the mapping of its indices holds. It reveals a second database with the same prefix, or
-- another cluster at the same address, before an alias moves. A dump contains the id: a database that is restored from
-- it continues with the indices of its origin.
create table search_owner (
  id  uuid primary key default gen_random_uuid(),
  one boolean not null default true unique check (one)
);
insert into search_owner default values;

-- External versions of documents. One is drawn per cursor transaction; CACHE 1, so that draws are ordered over sessions.
create sequence search_versions as bigint cache 1;

-- Raises all later versions above this one; returns the last one that may have been drawn. Concurrent callers wait for
-- each other. A margin for sessions that draw meanwhile ensures that the sequence never goes back.
create function search_raise_versions(above bigint) returns bigint
  language plpgsql as $$
declare
  last bigint;
begin
  perform pg_advisory_xact_lock(hashtextextended('entity-search versions', 0));
  select last_value into last from search_versions;
  if last >= above then
    return last;
  end if;
  return setval('search_versions', greatest(above, last + 1048576));
end $$;

-- Raises versions to the clock's seconds in the high bits or, if the clock was set back, by a small step. There is room
-- for a million draws per second. An index that outlived an earlier database never holds higher versions.
create function search_raise_epoch() returns bigint
  language sql
  return search_raise_versions(greatest((select last_value from search_versions) + 1,
                                        extract(epoch from clock_timestamp())::bigint << 20));
select search_raise_epoch();

create table search_generations (
  id               bigint generated always as identity primary key,
  kind             text not null check (kind in ('companies', 'people', 'investors', 'events')),
  number           integer not null check (number > 0),
  index_name       text not null unique,
  hash             text not null,
  definition       jsonb not null,
  document_sql     text not null,
  -- The model whose vectors the documents hold; null: none.
  embedding_model  text,
  state            text not null default 'planned' check (state in (
                     'planned', 'created', 'loading', 'catching-up', 'verifying', 'ready', 'live', 'retired',
                     'failed', 'aborted')),
  last_error       text,

  -- The load.
  resume_id        bigint,
  rows_read        bigint not null default 0,
  bytes            bigint not null default 0,

  -- The position of the reader: `position` is the last snapshot whose changes Elasticsearch has acknowledged,
  -- `settled_position` one that was reached before the longest life of a request, `between_position` the next of these.
  position         pg_snapshot,
  position_at      timestamptz,
  settled_position pg_snapshot,
  between_position pg_snapshot,
  between_at       timestamptz,
  -- The progress from the position to a later snapshot: of the entries that `progress_to` sees and `position` does not,
  -- in the order of xid and seq, those up to these two are acknowledged. A change of the position resets it or sets it
  -- to null.
  progress_to      pg_snapshot,
  progress_xid     xid8,
  progress_seq     bigint,
  -- The database that the position refers to, and the copies of the index that acknowledged it.
  source_identity  text,
  target_identity  text,
  -- The index and the histories of its shards. A different text means that the index was restored or created again.
  target_history   text,
  -- Counts the times that a reader was about to write. Elasticsearch receives the number first, so a higher number there
  -- than here shows that this database has gone back.
  write_marker     bigint not null default 0,
  -- The key of that number in Elasticsearch, because an index of the same name may have been another database's.
  marker_id        uuid not null default gen_random_uuid(),
  -- The time of the next search for documents that are in the index but not in the table.
  sweep_at         timestamptz,
  changes_applied  bigint not null default 0,

  -- The reason why nothing may be read into this generation until it was compared with the tables. Sync compares and
  -- repairs it, within bounds.
  halted           text,
  -- The end of its last halt; null once it was compared again after the longest life of a request, because a request
  -- from before the halt may have been late.
  halt_ended_at    timestamptz,

  created_at       timestamptz not null default now(),
  -- The last time that a process worked on its build. Abandoned builds are removed.
  worked_at        timestamptz not null default now(),
  live_at          timestamptz,
  -- The time it stopped answering searches. Cursors and slow requests that began in it may still need its index.
  retired_at       timestamptz,
  ended_at         timestamptz,

  unique (kind, number),
  -- Pruning uses the settled position, so it must never be ahead of the position.
  constraint search_generations_settled_check check (
    pg_snapshot_xmin(settled_position) <= pg_snapshot_xmin(position)
    and pg_snapshot_xmax(settled_position) <= pg_snapshot_xmax(position)),
  constraint search_generations_between_check check (
    pg_snapshot_xmax(between_position) <= pg_snapshot_xmax(position)),
  constraint search_generations_progress_check check (
    num_nulls(progress_to, progress_xid, progress_seq) in (0, 3))
) with (fillfactor = 50);
create unique index search_generations_live on search_generations (kind) where state = 'live';

-- Documents that Elasticsearch rejected.
create table search_dead_letters (
  generation_id bigint not null references search_generations on delete cascade,
  id            bigint not null,
  -- The version of the rejected document: an earlier one that is acknowledged later does not clear the letter.
  version       bigint not null default 0,
  reason        text not null,
  document      text,
  attempts      integer not null default 1,
  first_at      timestamptz not null default now(),
  last_at       timestamptz not null default now(),
  primary key (generation_id, id)
);

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
