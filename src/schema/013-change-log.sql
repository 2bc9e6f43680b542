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
