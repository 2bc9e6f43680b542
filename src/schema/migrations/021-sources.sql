-- Tables that a team has already: views show them in place of ours, and triggers on them note here what changes
-- (docs/existing-database.md).

-- The published way into the change log, for triggers on tables that are not ours. It runs with its owner's rights, so
-- whoever writes those tables needs none on the log; only the owner may call it, and whoever he lets.
--
-- what: 'row'         documents of these ids are to be read again
--       'references'  the same, and the documents of other kinds that show them
--       'truncate'    (ids null) every id of the kind that is not shown any more; other kinds that show it are read again
--       'all'         (ids null) every document of the kind is to be read again
--
-- An id that no entity can have is nobody's: there is no document of it.
create function entity_search_note(kind text, ids bigint[], what text default 'references') returns void
  language plpgsql security definer set search_path = public, pg_temp as $$
begin
  if what in ('truncate', 'all') then
    if ids is not null then
      raise exception 'entity_search_note: "%" is about a whole kind, so its ids must be null', what;
    end if;
    insert into search_changes (kind, id, what) values (entity_search_note.kind, null, entity_search_note.what);
    if what = 'truncate' then
      insert into search_changes (kind, id, what)
      select distinct g.kind, null::bigint, 'all' from search_generations g
      where g.kind <> entity_search_note.kind and search_concerns(g.kind, entity_search_note.kind, 'references');
    end if;
  elsif what in ('row', 'references') then
    insert into search_changes (kind, id, what)
    select entity_search_note.kind, noted.id, entity_search_note.what from unnest(ids) as noted (id)
    where noted.id between 1 and 9007199254740991;
  else
    raise exception 'entity_search_note: what must be row, references, truncate or all, not "%"', what;
  end if;
end $$;
revoke execute on function entity_search_note(text, bigint[], text) from public;
