-- Tables of a team's own: views show them in place of ours, and triggers on them note changes here
-- (docs/existing-database.md).

-- Notes which of the ids a view no longer shows. A statement on a team's tables may take entities out of a view in many
-- ways (a row is deleted or marked as deleted, or one of another table is), so the view itself is queried for the ids of
-- the statement. It must not fail the team's writes: where the view can't be queried, there is a gap.
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

-- The published way into the change log, for triggers on tables that are not ours. It runs with its owner's rights, so
-- writers of those tables need none on the log; only the owner may call it, and roles that the owner grants it to.
--
-- what: 'row'         documents of these ids must be read again
--       'references'  the same, and the documents of other kinds that show them
--       'truncate'    (ids null) every id of the kind that is no longer shown; other kinds that show it are read again
--       'all'         (ids null) every document of the kind must be read again
--
-- An id that no entity can have is left out. Removals are noted too: of a whole kind as a gap, since lookups may take
-- entities out of a view as well.
create function entity_search_note(kind text, ids bigint[], what text default 'references') returns void
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
      where g.kind = any(search_readers(entity_search_note.kind));
    end if;
  elsif what in ('row', 'references') then
    insert into search_changes (kind, id, what, entity)
    select reader, noted.id, case when reader = entity_search_note.kind then 'row' else 'references' end,
           case when reader <> entity_search_note.kind then entity_search_note.kind end
    from unnest(ids) as noted (id)
    join unnest(entity_search_note.kind || search_readers(entity_search_note.kind)) as reader
      on reader = entity_search_note.kind or entity_search_note.what = 'references'
    where noted.id between 1 and 9007199254740991;
    perform entity_search_note_removed(entity_search_note.kind, ids);
  else
    raise exception 'entity_search_note: what must be row, references, truncate or all, not "%"', what;
  end if;
end $$;
revoke execute on function entity_search_note(text, bigint[], text) from public;
