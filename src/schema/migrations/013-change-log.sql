-- The change log without notifications, with bounds, and with a reader's place inside one large transaction.

-- A transaction that has notified can't be prepared (two-phase commit), poolers in transaction mode lose LISTEN, and
-- transactions that notify commit one after another. Readers look by themselves (SYNC_POLL); nobody is told.
do $change$
declare
  logger record;
begin
  for logger in
    select pg_get_functiondef(oid) as definition from pg_proc
    where pronamespace = 'public'::regnamespace and proname like 'log\_%\_change'
  loop
    execute regexp_replace(logger.definition, '\s+if found then\s+perform ring_search_changes\([^;]+;\s+end if;', '');
  end loop;
end $change$;
drop function ring_search_changes(text);

-- What is pruned goes by the settled position, so it must never be ahead of the position. Going back used to leave
-- behind the snapshot that was to be settled next.
update search_generations
set settled_position = position, between_position = null, between_at = null
where pg_snapshot_xmin(settled_position) > pg_snapshot_xmin(position)
   or pg_snapshot_xmax(settled_position) > pg_snapshot_xmax(position)
   or pg_snapshot_xmax(between_position) > pg_snapshot_xmax(position);
alter table search_generations
  add constraint search_generations_settled_check check (
    pg_snapshot_xmin(settled_position) <= pg_snapshot_xmin(position)
    and pg_snapshot_xmax(settled_position) <= pg_snapshot_xmax(position)),
  add constraint search_generations_between_check check (
    pg_snapshot_xmax(between_position) <= pg_snapshot_xmax(position));

-- Where a reader is on its way from its position to a later snapshot: of the entries that `progress_to` sees and
-- `progress_from` does not, in the order of xid and seq, those up to these two are acknowledged. It counts only while
-- the position is `progress_from`, so whoever moves the position elsewhere has made an end of it.
alter table search_generations
  add column progress_from pg_snapshot,
  add column progress_to pg_snapshot,
  add column progress_xid xid8,
  add column progress_seq bigint,
  add constraint search_generations_progress_check check (
    num_nulls(progress_from, progress_to, progress_xid, progress_seq) in (0, 4));

-- What each reader has yet to apply. Counting stops at 100,000 entries. An entry with a transaction that this server has
-- not begun was restored from another one.
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
        select c.at, c.kind, c.what from search_changes c
        where (c.xid, c.seq) > (greatest(done.xid, pg_snapshot_xmax(g.position)),
                                case when done.xid >= pg_snapshot_xmax(g.position) then done.seq else 0 end)
          and c.xid < pg_snapshot_xmax(pg_current_snapshot())
        union all
        select c.at, c.kind, c.what from search_changes c
        where c.xid = any(array(select pg_snapshot_xip(g.position))) and (c.xid, c.seq) > (done.xid, done.seq)
        union all
        select c.at, c.kind, c.what from search_changes c
        where c.xid = any(array(select pg_snapshot_xip(done.snapshot))) and (c.xid, c.seq) <= (done.xid, done.seq)
      ) as entries
      where search_concerns(g.kind, kind, what)
      limit 100000
    ) as new
  ) as waiting
  where g.ended_at is null and g.position is not null and g.state not in ('failed', 'aborted');

-- Dependants of a renamed entity are read a page at a time, in the order of their ids.
create index roles_company_person on roles (company_id, person_id);
create index person_companies_company_person on person_companies (company_id, person_id);
create index event_people_event_person on event_people (event_id, person_id);
create index company_investors_investor_company on company_investors (investor_id, company_id);
create index investor_portfolio_company_investor on investor_portfolio (company_id, investor_id);
drop index roles_company, person_companies_company, event_people_event, company_investors_investor,
           investor_portfolio_company;

-- When somebody last worked on a generation that is being built: one that was left is given up.
alter table search_generations add column worked_at timestamptz not null default now();

-- Of indices that are gone: there is nothing that they could be written to.
delete from search_dead_letters where generation_id in (select id from search_generations where ended_at is not null);
