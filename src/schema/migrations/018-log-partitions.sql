-- The change log in partitions, so that what nobody needs any more is dropped with its file instead of deleted row by
-- row: that takes no time, leaves nothing to be vacuumed, and a long transaction elsewhere changes nothing about it.
--
-- There is a fixed number of partitions, each of them a slot. Writers fill the one that the sequence search_changes_slot
-- names; pruning turns it to an empty one, and empties those that no reader needs (indexer/change-log/prune.ts). Nothing
-- depends on who fills which slot when: readers look into all of them and go by transactions, and a slot is emptied only
-- under a lock that no writer to it shares. So no partition is ever made, dropped or missing while somebody writes.

create sequence search_changes_slot as smallint minvalue 0 maxvalue 5 start 0;
select setval('search_changes_slot', 0);

-- The log so far becomes the first slot, with what waits in it.
alter table search_changes rename to search_changes_0;
alter sequence search_changes_seq_seq rename to search_changes_0_seq;
alter table search_changes_0 drop constraint search_changes_pkey;
drop index search_changes_xid;
alter table search_changes_0 add column slot smallint not null default 0;
alter table search_changes_0
  alter column slot set default coalesce(pg_sequence_last_value('search_changes_slot'), 0)::smallint;

create table search_changes (
  seq   bigint generated always as identity,
  xid   xid8 not null default pg_current_xact_id(),
  kind  text not null,
  id    bigint,
  what  text not null,
  at    timestamptz not null default clock_timestamp(),
  model text,
  -- Read for each row, without a look into a table; another transaction's turn to the next slot is seen at once.
  slot  smallint not null default coalesce(pg_sequence_last_value('search_changes_slot'), 0)::smallint,
  constraint search_changes_kind_check check (kind in ('companies', 'people', 'investors', 'events')),
  constraint search_changes_what_check check (what in ('row', 'references', 'truncate', 'all', 'vector')),
  constraint search_changes_check check ((id is null) = (what in ('truncate', 'all'))),
  constraint search_changes_model_check check ((model is not null) = (what = 'vector'))
) partition by list (slot);
select setval('search_changes_seq_seq', nextval('search_changes_0_seq'));
alter table search_changes_0 alter column seq drop identity;
alter sequence search_changes_slot owned by search_changes.slot;

-- By kind, so that a reader never looks at what concerns others: two million changes of companies are nothing to the
-- reader of people.
create index search_changes_kind_xid on search_changes (kind, xid, seq);
create index search_changes_references on search_changes (kind, xid, seq) where what = 'references';

alter table search_changes attach partition search_changes_0 for values in (0);
do $make$
begin
  for slot in 1..5 loop
    execute format('create table search_changes_%1$s partition of search_changes for values in (%1$s)', slot);
  end loop;
  -- Nothing is updated or deleted there, and a slot is emptied before its rows grow old: there is nothing to vacuum.
  for slot in 0..5 loop
    execute format('alter table search_changes_%s reset (autovacuum_vacuum_scale_factor)', slot);
    execute format('alter table search_changes_%s set (autovacuum_vacuum_insert_threshold = -1,
                                                       autovacuum_analyze_scale_factor = 0.2)', slot);
  end loop;
end $make$;

-- Earlier releases of sync prune row by row, by a row's place in its table, which names a row in each partition now:
-- they would delete entries that are still to be read.
create function refuse_deleting_changes() returns trigger
  language plpgsql as $$
begin
  raise exception 'entries of the change log are not deleted one by one'
    using errcode = 'feature_not_supported',
          hint = 'entity-search sync of this release empties whole partitions of it: stop those of earlier releases.';
end $$;
create trigger refuse_delete before delete on search_changes
  for each statement execute function refuse_deleting_changes();

-- Kinds whose ids, names or slugs a kind's documents show.
create function search_shown_kinds(reader text) returns text[]
  language sql immutable parallel safe
  return case reader
           when 'people' then array['companies', 'events']
           when 'investors' then array['companies']
           when 'companies' then array['investors']
           else array[]::text[]
         end;

create or replace function search_concerns(reader text, kind text, what text) returns boolean
  language sql immutable parallel safe
  return kind = reader or (what = 'references' and kind = any(search_shown_kinds(reader)));

-- The functions below are inlined into the statements that use them, and stop where those do.

-- Entries that concern a kind's documents, after a place in the order of reading and of transactions before another.
create function search_entries(reader text, after_xid xid8, after_seq bigint, before_xid xid8)
  returns table (xid xid8, seq bigint, kind text, id bigint, what text, at timestamptz, model text, slot smallint)
  language sql stable parallel safe
begin atomic
  select c.xid, c.seq, c.kind, c.id, c.what, c.at, c.model, c.slot from search_changes c
  where c.kind = reader and (c.xid, c.seq) > (after_xid, after_seq) and c.xid < before_xid
  union all
  select c.xid, c.seq, c.kind, c.id, c.what, c.at, c.model, c.slot
  from unnest(search_shown_kinds(reader)) as shown (kind)
  join search_changes c on c.kind = shown.kind and c.what = 'references'
  where (c.xid, c.seq) > (after_xid, after_seq) and c.xid < before_xid;
end;

-- Those of one transaction.
create function search_entries_of(reader text, transaction xid8)
  returns table (xid xid8, seq bigint, kind text, id bigint, what text, at timestamptz, model text, slot smallint)
  language sql stable parallel safe
begin atomic
  select c.xid, c.seq, c.kind, c.id, c.what, c.at, c.model, c.slot from search_changes c
  where c.kind = reader and c.xid = transaction
  union all
  select c.xid, c.seq, c.kind, c.id, c.what, c.at, c.model, c.slot
  from unnest(search_shown_kinds(reader)) as shown (kind)
  join search_changes c on c.kind = shown.kind and c.what = 'references' and c.xid = transaction;
end;

-- Those that a snapshot does not see. An entry with a transaction that this server has not begun was restored from
-- another one, and is nobody's.
create function search_unseen(reader text, seen pg_snapshot)
  returns table (xid xid8, seq bigint, kind text, id bigint, what text, at timestamptz, model text, slot smallint)
  language sql stable parallel safe
begin atomic
  select e.xid, e.seq, e.kind, e.id, e.what, e.at, e.model, e.slot
  from search_entries(reader, pg_snapshot_xmax(seen), 0, pg_snapshot_xmax(pg_current_snapshot())) as e
  union all
  select e.xid, e.seq, e.kind, e.id, e.what, e.at, e.model, e.slot
  from pg_snapshot_xip(seen) as under_way (xid) cross join lateral search_entries_of(reader, under_way.xid) as e;
end;

-- The first entries that a snapshot does not see: one of its own kind and of each that it shows, of those that began
-- later and of each transaction that was under way.
create function search_first_unseen(reader text, seen pg_snapshot)
  returns table (xid xid8, at timestamptz)
  language sql stable parallel safe
begin atomic
  (select c.xid, c.at from search_changes c
   where c.kind = reader and c.xid >= pg_snapshot_xmax(seen) and c.xid < pg_snapshot_xmax(pg_current_snapshot())
   order by c.xid, c.seq limit 1)
  union all
  select first.xid, first.at from unnest(search_shown_kinds(reader)) as shown (kind) cross join lateral (
    select c.xid, c.at from search_changes c
    where c.kind = shown.kind and c.what = 'references'
      and c.xid >= pg_snapshot_xmax(seen) and c.xid < pg_snapshot_xmax(pg_current_snapshot())
    order by c.xid, c.seq limit 1
  ) as first
  union all
  select first.xid, first.at from pg_snapshot_xip(seen) as under_way (xid) cross join lateral (
    select e.xid, e.at from search_entries_of(reader, under_way.xid) as e limit 1
  ) as first;
end;

-- Every entry for each reader that it concerns. A view where the above are functions: who may see how far the indices are
-- behind, which is a view, too, need not see the log.
create view search_log_entries as
  select c.kind as reader, c.xid, c.seq, c.kind, c.id, c.what, c.at, c.model, c.slot from search_changes c
  union all
  select shown.reader, c.xid, c.seq, c.kind, c.id, c.what, c.at, c.model, c.slot
  from (values ('companies', 'investors'), ('people', 'companies'), ('people', 'events'), ('investors', 'companies'))
       as shown (reader, kind)
  join search_changes c on c.kind = shown.kind and c.what = 'references';

-- What each reader has yet to apply. Counting stops at 100,000 entries.
create or replace view search_lag as
  select g.id as generation_id, g.kind, g.index_name, g.state, g.halted, g.position_at, g.changes_applied,
         waiting.entries as pending,
         case when waiting.entries = 0 then 0
              else greatest(0, extract(epoch from clock_timestamp() - waiting.since)) end::float8 as seconds
  from (
    select *, coalesce(progress_from::text = position::text, false) as on_its_way from search_generations
  ) as g
  cross join lateral (
    select case when g.on_its_way then g.progress_xid else '0'::xid8 end as xid,
           case when g.on_its_way then g.progress_seq else 0 end as seq,
           case when g.on_its_way then g.progress_to end as snapshot
  ) as done
  cross join lateral (
    select count(*)::int as entries, min(at) as since
    from (
      select at from (
        select e.at from search_log_entries e
        where e.reader = g.kind
          and (e.xid, e.seq) > (greatest(done.xid, pg_snapshot_xmax(g.position)),
                                case when done.xid >= pg_snapshot_xmax(g.position) then done.seq else 0 end)
          and e.xid < pg_snapshot_xmax(pg_current_snapshot())
        union all
        select e.at from search_log_entries e
        where e.reader = g.kind and e.xid = any(array(select pg_snapshot_xip(g.position)))
          and (e.xid, e.seq) > (done.xid, done.seq)
        union all
        select e.at from search_log_entries e
        where e.reader = g.kind and e.xid = any(array(select pg_snapshot_xip(done.snapshot)))
          and (e.xid, e.seq) <= (done.xid, done.seq)
      ) as entries
      limit 100000
    ) as new
  ) as waiting
  where g.ended_at is null and g.position is not null and g.state not in ('failed', 'aborted');
