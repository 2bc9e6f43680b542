-- The removals: ids of entities that were deleted, or that a view of a team's own no longer shows, for programs that keep
-- a copy. Triggers append to it in the writer's own transaction, one insert per statement. Readers go by transactions and
-- leave out ids that exist (src/postgres/removals.ts). Rows older than 30 days are pruned
-- (indexer/change-log/prune-removals.ts).
--
-- A row without an id is a gap: entities were removed, and their ids are unknown. Copies from before it must be built
-- again.

create table entity_removals (
  kind       text not null check (kind in ('companies', 'people', 'investors', 'events')),
  xid        xid8 not null default pg_current_xact_id(),
  seq        bigint generated always as identity,
  id         bigint,
  removed_at timestamptz not null default now(),
  primary key (kind, xid, seq)
);
create index entity_removals_gaps on entity_removals (kind, xid, seq) where id is null;
create index entity_removals_removed on entity_removals (removed_at);
