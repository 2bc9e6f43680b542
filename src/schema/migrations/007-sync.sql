-- What following the change log needs: how old an entry is, which entries concern whom, and where each reader stands.

-- Not the transaction's beginning: lag is counted from when something was written.
alter table search_changes add column at timestamptz not null default clock_timestamp();

-- what: 'all'  (id null) every document of the kind is to be read again
alter table search_changes drop constraint search_changes_what_check, drop constraint search_changes_check;
alter table search_changes
  add constraint search_changes_what_check check (what in ('row', 'references', 'truncate', 'all')),
  add constraint search_changes_check check ((id is null) = (what in ('truncate', 'all')));

-- Whether an entry concerns the documents of a kind: its own entities, and those of others whose id, name or slug its
-- documents show.
create function search_concerns(reader text, kind text, what text) returns boolean
  language sql immutable parallel safe
  return kind = reader
    or (what = 'references'
        and (reader, kind) in (('people', 'companies'), ('people', 'events'),
                               ('investors', 'companies'), ('companies', 'investors')));

-- A truncation under repeatable read sees the relation as it was when its transaction began, so rows that were
-- committed since are removed without their owners being told. Then everything on both sides is to be read again.
create function log_relation_emptied() returns trigger
  language plpgsql security definer set search_path = public, pg_temp as $$
begin
  if current_setting('transaction_isolation') in ('repeatable read', 'serializable') then
    insert into search_changes (kind, id, what) values (tg_argv[0], null, 'all'), (tg_argv[1], null, 'all');
  end if;
  return null;
end $$;

do $make$
declare
  relation record;
begin
  for relation in
    select * from (values
      ('roles', 'people', 'companies'),
      ('person_companies', 'people', 'companies'),
      ('event_people', 'people', 'events'),
      ('company_investors', 'companies', 'investors'),
      ('investor_portfolio', 'investors', 'companies')
    ) as r (name, owner_kind, other_kind)
  loop
    execute format('create trigger log_truncate_all before truncate on %I
                      for each statement execute function log_relation_emptied(%L, %L)',
                   relation.name, relation.owner_kind, relation.other_kind);
    execute format('alter table %I enable always trigger log_truncate_all', relation.name);
  end loop;
end $make$;

-- Readers' positions. `position` is the last snapshot whose changes Elasticsearch has acknowledged. `settled_position`
-- is one that was reached before the longest life of a request, `between_position` will be the next of these.
alter table search_generations
  add column position_at timestamptz,
  add column settled_position pg_snapshot,
  add column between_position pg_snapshot,
  add column between_at timestamptz,
  -- Which database the position is of, and which copies of the index it was acknowledged by.
  add column source_identity text,
  add column target_identity text,
  -- Why nothing may be read into this generation until it was compared with the tables.
  add column halted text,
  -- When what is in the index but not in the table is to be looked for again.
  add column sweep_at timestamptz,
  add column changes_applied bigint not null default 0;
alter table search_generations set (fillfactor = 50);

-- Versions begin where the clock stands: an index that outlived an earlier database never holds higher ones. The
-- high bits are the epoch, seconds; there is room for a million draws each.
create function search_raise_epoch() returns bigint
  language sql
  return setval('search_versions',
    greatest((select last_value from search_versions) + 1, extract(epoch from clock_timestamp())::bigint << 20));
select search_raise_epoch();

-- What each reader has yet to apply. Counting stops at 100,000 entries.
create view search_lag as
  select g.id as generation_id, g.kind, g.index_name, g.state, g.halted, g.position_at, g.changes_applied,
         waiting.entries as pending,
         case when waiting.entries = 0 then 0
              else greatest(0, extract(epoch from clock_timestamp() - waiting.since)) end::float8 as seconds
  from search_generations g
  cross join lateral (
    select count(*)::int as entries, min(at) as since
    from (
      select at from (
        select c.at, c.kind, c.what from search_changes c where c.xid >= pg_snapshot_xmax(g.position)
        union all
        select c.at, c.kind, c.what from search_changes c
        where c.xid = any(array(select pg_snapshot_xip(g.position)))
      ) as entries
      where search_concerns(g.kind, kind, what)
      limit 100000
    ) as new
  ) as waiting
  where g.ended_at is null and g.position is not null and g.state not in ('failed', 'aborted');
