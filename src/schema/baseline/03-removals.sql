-- The resolver of notes, and the removals that it finds.

-- The resolver's position in the change log, and the number of the last removal. A process locks the row while it resolves
-- notes, so there is one resolver at a time, and removals have their numbers in the order of commits.
create table search_resolver (
  one          boolean primary key default true check (one),
  -- Changes when the database is restored, copied or failed over. Positions of an earlier epoch are meaningless then.
  epoch        uuid not null default gen_random_uuid(),
  number       bigint not null default 0,
  -- The last snapshot whose notes are resolved, and the progress towards a later one, as in search_generations.
  position     pg_snapshot not null default pg_current_snapshot(),
  position_at  timestamptz not null default now(),
  progress_to  pg_snapshot,
  progress_xid xid8,
  progress_seq bigint,
  -- The database that the position refers to.
  identity     text,
  constraint search_resolver_progress_check check (num_nulls(progress_to, progress_xid, progress_seq) in (0, 3))
);
insert into search_resolver default values;

-- Begins a new epoch of removals at the present. Earlier notes are lost, so every kind is compared.
create function search_begin_epoch(database text) returns void
  language sql
begin atomic
  update search_resolver
  set epoch = gen_random_uuid(), position = pg_current_snapshot(), position_at = now(), progress_to = null,
      progress_xid = null, progress_seq = null, identity = database;
  insert into search_changes (kind, what, entity)
  select 'sources', 'all', kind from unnest(array['companies', 'people', 'investors', 'events']) as kind;
end;

-- Ids of entities that were deleted, or that a team's view no longer shows, for programs that keep a copy. Rows older
-- than 30 days are pruned (indexer/change-log/removals.ts).
--
-- A row without an id is a gap: entities were removed, and their ids are unknown. Copies from before it must be
-- rebuilt.
create table entity_removals (
  kind       text not null check (kind in ('companies', 'people', 'investors', 'events')),
  number     bigint not null,
  id         bigint,
  removed_at timestamptz not null default now(),
  primary key (kind, number)
);
create index entity_removals_gaps on entity_removals (kind, number) where id is null;
create index entity_removals_removed on entity_removals (removed_at);
