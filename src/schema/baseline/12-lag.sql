-- The entries of the change log that each reader has yet to apply, and the notes that are not resolved. Counting stops at 100,000 entries.
create view search_lag as
  select g.id as generation_id, g.kind, g.index_name, g.state, g.halted, g.position_at, g.changes_applied,
         waiting.entries as pending,
         case when waiting.entries = 0 then 0
              else greatest(0, extract(epoch from clock_timestamp() - waiting.since)) end::float8 as seconds
  from search_generations g
  cross join lateral (
    select coalesce(g.progress_xid, '0'::xid8) as xid, coalesce(g.progress_seq, 0) as seq, g.progress_to as snapshot
  ) as done
  cross join lateral (
    select count(*)::int as entries, min(at) as since
    from (
      select at from (
        select e.at from search_changes e
        where e.kind = g.kind
          and (e.xid, e.seq) > (greatest(done.xid, pg_snapshot_xmax(g.position)),
                                case when done.xid >= pg_snapshot_xmax(g.position) then done.seq else 0 end)
          and e.xid < pg_snapshot_xmax(pg_current_snapshot())
        union all
        select e.at from search_changes e
        where e.kind = g.kind and e.xid = any(array(select pg_snapshot_xip(g.position)))
          and (e.xid, e.seq) > (done.xid, done.seq)
        union all
        select e.at from search_changes e
        where e.kind = g.kind and e.xid = any(array(select pg_snapshot_xip(done.snapshot)))
          and (e.xid, e.seq) <= (done.xid, done.seq)
        union all
        -- Notes may lead to entries of any kind.
        select e.at from search_resolver r join search_changes e on e.kind = 'sources'
          and e.xid >= pg_snapshot_xmax(r.position) and e.xid < pg_snapshot_xmax(pg_current_snapshot())
        union all
        select e.at from search_resolver r join search_changes e on e.kind = 'sources'
          and e.xid = any(array(select pg_snapshot_xip(r.position)))
      ) as entries
      limit 100000
    ) as new
  ) as waiting
  where g.ended_at is null and g.position is not null and g.state not in ('failed', 'aborted');
