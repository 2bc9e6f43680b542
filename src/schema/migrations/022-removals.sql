-- Which entities are gone, for who keeps a copy: ids that were deleted, or that a view of a team's own does not show any
-- more. Triggers write it in the writer's own transaction, one insert a statement. Whoever reads it goes by transactions
-- and leaves out what is there (src/postgres/removals.ts); what is older than 30 days is pruned
-- (indexer/change-log/prune-removals.ts).
--
-- A row without an id is a gap: entities were removed, and nobody knows which. Copies from before it are made anew.

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

-- As before, and removals are noted. After TRUNCATE nobody needs the ids: whoever has a copy begins again.
create or replace function log_entity_change() returns trigger
  language plpgsql security definer set search_path = public, pg_temp as $$
begin
  if tg_op = 'INSERT' then
    insert into search_changes (kind, id, what) select tg_argv[0], id, 'row' from new_rows;
  elsif tg_op = 'DELETE' then
    insert into search_changes (kind, id, what) select tg_argv[0], id, 'row' from old_rows;
    insert into entity_removals (kind, id) select tg_argv[0], id from old_rows;
  elsif tg_op = 'UPDATE' then
    insert into search_changes (kind, id, what)
    select tg_argv[0], coalesce(n.id, o.id),
           case when (o.id, o.name, o.slug) is distinct from (n.id, n.name, n.slug) then 'references' else 'row' end
    from old_rows o full join new_rows n on n.id = o.id
    where o is distinct from n;
  else
    insert into search_changes (kind, id, what) values (tg_argv[0], null, 'truncate');
    insert into entity_removals (kind) values (tg_argv[0]);
  end if;
  return null;
end $$;

-- An entity that gets another id is gone under the old one. Row by row, so that it costs nothing but where ids change.
create function log_entity_moved() returns trigger
  language plpgsql security definer set search_path = public, pg_temp as $$
begin
  insert into entity_removals (kind, id) values (tg_argv[0], old.id);
  return null;
end $$;

do $make$
declare
  kind text;
begin
  foreach kind in array array['companies', 'people', 'investors', 'events'] loop
    execute format('create trigger log_moved after update of id on %1$I for each row when (old.id <> new.id)
                      execute function log_entity_moved(%1$L)', kind);
    execute format('alter table %I enable always trigger log_moved', kind);
  end loop;
end $make$;

-- Of a team's own tables, a statement may take entities out of a view in many ways: a row is deleted or marked as deleted,
-- or one of another table is. So the view itself is asked, for the ids of the statement. It must not fail the team's
-- writes: where it can't be asked, there is a gap.
create function entity_search_note_removed(kind text, ids bigint[]) returns void
  language plpgsql security definer set search_path = public, pg_temp as $$
declare
  gone bigint[];
begin
  begin
    execute format('select array_agg(noted.id) from unnest($1) as noted (id)
                    where noted.id between 1 and 9007199254740991
                      and not exists (select from public.%I as shown where shown.id = noted.id)', kind)
      into gone using ids;
  exception when others then
    raise warning 'entity_search_note: % could not be read: %', kind, sqlerrm;
    gone := array[null]::bigint[];
  end;
  insert into entity_removals (kind, id) select entity_search_note_removed.kind, g.id from unnest(gone) as g (id);
end $$;
revoke execute on function entity_search_note_removed(text, bigint[]) from public;

-- As before, and removals are noted. Of a whole kind nobody knows which: lookups may take entities out of a view, too.
create or replace function entity_search_note(kind text, ids bigint[], what text default 'references') returns void
  language plpgsql security definer set search_path = public, pg_temp as $$
begin
  if what in ('truncate', 'all') then
    if ids is not null then
      raise exception 'entity_search_note: "%" is about a whole kind, so its ids must be null', what;
    end if;
    insert into search_changes (kind, id, what) values (entity_search_note.kind, null, entity_search_note.what);
    insert into entity_removals (kind) values (entity_search_note.kind);
    if what = 'truncate' then
      insert into search_changes (kind, id, what)
      select distinct g.kind, null::bigint, 'all' from search_generations g
      where g.kind <> entity_search_note.kind and search_concerns(g.kind, entity_search_note.kind, 'references');
    end if;
  elsif what in ('row', 'references') then
    insert into search_changes (kind, id, what)
    select entity_search_note.kind, noted.id, entity_search_note.what from unnest(ids) as noted (id)
    where noted.id between 1 and 9007199254740991;
    perform entity_search_note_removed(entity_search_note.kind, ids);
  else
    raise exception 'entity_search_note: what must be row, references, truncate or all, not "%"', what;
  end if;
end $$;
