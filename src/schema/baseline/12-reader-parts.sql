-- Readers of the change log in parts: the documents of an index are divided by a hash of their ids, and each part has a
-- position of its own, so that several processes follow one index.

-- Into how many parts. In the database, so that every process means the same.
create table search_sync (
  parts integer not null default 1 check (parts between 1 and 64),
  one   boolean primary key default true check (one)
);
insert into search_sync default values;

-- The part of an id, from 0 up. Arithmetic of our own: no release of Postgres may move an id to another part.
create function search_part(id bigint, parts integer) returns integer
  language sql immutable parallel safe
  return (((((id & 2147483647) * 2654435769) & 4294967295) >> 12) % parts)::integer;

-- Whether an entry concerns a part of a reader's documents: of another kind's entities nobody knows whom, and what names
-- no id is about all of them.
create function search_concerns_part(reader text, kind text, id bigint, part integer, parts integer) returns boolean
  language sql immutable parallel safe
  return parts = 1 or kind <> reader or id is null or search_part(id, parts) = part;

-- What all of these snapshots see.
create function search_least_snapshot(snapshots pg_snapshot[]) returns pg_snapshot
  language sql immutable parallel safe
begin atomic
  with bound as (
    select min(pg_snapshot_xmax(one)) as xid from unnest(snapshots) as one
  ), under_way as (
    select distinct xid from unnest(snapshots) as one cross join lateral pg_snapshot_xip(one) as xid
    where xid < (select bound.xid from bound)
  )
  select concat_ws(':', coalesce((select min(xid) from under_way), bound.xid), bound.xid,
                   coalesce((select string_agg(xid::text, ',' order by xid) from under_way), ''))::pg_snapshot
  from bound where bound.xid is not null;
end;

-- Where readers stand. These positions go on from that of search_generations, the `base`: they count only while it is the
-- same, so whoever moves it, as a halt does, has made an end of them. The columns are those of search_generations, where
-- the first readers of a generation begin.
create table search_reader_parts (
  generation_id    bigint not null references search_generations on delete cascade,
  part             integer not null,
  parts            integer not null,
  base             pg_snapshot not null,
  position         pg_snapshot not null,
  position_at      timestamptz,
  settled_position pg_snapshot,
  between_position pg_snapshot,
  between_at       timestamptz,
  progress_to      pg_snapshot,
  progress_xid     xid8,
  progress_seq     bigint,
  target_identity  text,
  sweep_at         timestamptz,
  changes_applied  bigint not null default 0,
  primary key (generation_id, part),
  constraint search_reader_parts_part_check check (part >= 0 and part < parts),
  constraint search_reader_parts_settled_check check (
    pg_snapshot_xmin(settled_position) <= pg_snapshot_xmin(position)
    and pg_snapshot_xmax(settled_position) <= pg_snapshot_xmax(position)),
  constraint search_reader_parts_between_check check (
    pg_snapshot_xmax(between_position) <= pg_snapshot_xmax(position)),
  constraint search_reader_parts_progress_check check (num_nulls(progress_to, progress_xid, progress_seq) in (0, 3))
) with (fillfactor = 50);

-- Every position that counts, one row a part; one that was not divided yet is a part by itself.
create view search_positions as
  select g.id as generation_id, g.kind, g.index_name, g.state, g.halted, g.created_at,
         coalesce(p.part, 0) as part, coalesce(p.parts, 1) as parts,
         coalesce(p.position, g.position) as position,
         case when p.part is null then g.position_at else p.position_at end as position_at,
         case when p.part is null then g.settled_position else p.settled_position end as settled_position,
         case when p.part is not null then p.progress_to
              when g.progress_from::text = g.position::text then g.progress_to end as progress_to,
         case when p.part is not null then p.progress_xid
              when g.progress_from::text = g.position::text then g.progress_xid end as progress_xid,
         case when p.part is not null then p.progress_seq
              when g.progress_from::text = g.position::text then g.progress_seq end as progress_seq,
         case when p.part is null then g.target_identity else p.target_identity end as target_identity,
         case when p.part is null then g.sweep_at else p.sweep_at end as sweep_at,
         coalesce(p.changes_applied, 0) as changes_applied
  from search_generations g
  left join search_reader_parts p on p.generation_id = g.id and p.base::text = g.position::text
  where g.ended_at is null and g.position is not null and g.state not in ('failed', 'aborted');

-- What each part of each reader has yet to apply. Counting stops at 100,000 entries.
create view search_part_lag as
  select p.generation_id, p.part, p.parts, p.position_at, p.changes_applied, waiting.entries as pending,
         case when waiting.entries = 0 then 0
              else greatest(0, extract(epoch from clock_timestamp() - waiting.since)) end::float8 as seconds
  from search_positions as p
  cross join lateral (
    select coalesce(p.progress_xid, '0'::xid8) as xid, coalesce(p.progress_seq, 0) as seq, p.progress_to as snapshot
  ) as done
  cross join lateral (
    select count(*)::int as entries, min(at) as since
    from (
      select at from (
        select e.at, e.kind, e.id from search_log_entries e
        where e.reader = p.kind
          and (e.xid, e.seq) > (greatest(done.xid, pg_snapshot_xmax(p.position)),
                                case when done.xid >= pg_snapshot_xmax(p.position) then done.seq else 0 end)
          and e.xid < pg_snapshot_xmax(pg_current_snapshot())
        union all
        select e.at, e.kind, e.id from search_log_entries e
        where e.reader = p.kind and e.xid = any(array(select pg_snapshot_xip(p.position)))
          and (e.xid, e.seq) > (done.xid, done.seq)
        union all
        select e.at, e.kind, e.id from search_log_entries e
        where e.reader = p.kind and e.xid = any(array(select pg_snapshot_xip(done.snapshot)))
          and (e.xid, e.seq) <= (done.xid, done.seq)
      ) as entries
      where search_concerns_part(p.kind, kind, id, p.part, p.parts)
      limit 100000
    ) as new
  ) as waiting;

-- The same of each index: the sum of its parts, and the age of the oldest entry that one of them lacks.
create view search_lag as
  select g.id as generation_id, g.kind, g.index_name, g.state, g.halted, lag.position_at,
         (g.changes_applied + lag.changes_applied)::bigint as changes_applied, lag.pending, lag.seconds
  from search_generations g
  join (
    select generation_id, min(position_at) as position_at, sum(changes_applied) as changes_applied,
           least(sum(pending), 100000)::int as pending, max(seconds) as seconds
    from search_part_lag group by generation_id
  ) as lag on lag.generation_id = g.id;
