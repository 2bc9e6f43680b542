-- Readers of the change log are woken by a notification. Postgres lets transactions that notify commit one after
-- another, each after the other's flush to the disk, which costs four writers more than half of their speed. So one of
-- those that write at the same time notifies, and the others need not: whoever was woken reads on until nothing is
-- left, and who sleeps looks by himself after SYNC_POLL, should the last of them have committed after that look.
create function ring_search_changes(kind text) returns void
  language plpgsql set search_path = public, pg_temp as $$
begin
  if pg_try_advisory_xact_lock(hashtextextended('entity-search bell', 0)) then
    perform pg_notify('search_changes', kind);
  end if;
end $$;
revoke execute on function ring_search_changes(text) from public;

-- The triggers' functions stay as they are but for who rings.
do $change$
declare
  logger record;
begin
  for logger in
    select pg_get_functiondef(oid) as definition from pg_proc
    where pronamespace = 'public'::regnamespace and proname like 'log\_%\_change'
  loop
    execute replace(logger.definition, 'perform pg_notify(''search_changes'', ', 'perform ring_search_changes(');
  end loop;
end $change$;
