-- The change log: what readers need to keep an index equal to these tables.
--
-- Triggers append to it in the writer's own transaction, so nothing committed is missed and nothing rolled back is
-- seen. They log what changed, not whom it concerns: looking for dependants here would miss a relation that another
-- transaction has not committed yet, so the reader looks for them, later, in a snapshot of its own.
--
-- what: 'row'         the entity's own document
--       'references'  the same, and name or slug changed: documents that show them change too
--       'truncate'    (id null) every id of the kind that is not in the table any more

create table search_changes (
  seq  bigint generated always as identity primary key,
  xid  xid8 not null default pg_current_xact_id(),
  kind text not null check (kind in ('companies', 'people', 'investors', 'events')),
  id   bigint,
  what text not null check (what in ('row', 'references', 'truncate')),
  check ((id is null) = (what = 'truncate'))
);
create index search_changes_xid on search_changes (xid, seq);

-- The log lives briefly and is read at its end: keep its statistics and its dead rows fresh.
alter table search_changes set (autovacuum_vacuum_scale_factor = 0.02, autovacuum_analyze_scale_factor = 0.02);

create function log_entity_change() returns trigger
  language plpgsql security definer set search_path = public, pg_temp as $$
begin
  if tg_op = 'INSERT' then
    insert into search_changes (kind, id, what) select tg_argv[0], id, 'row' from new_rows;
  elsif tg_op = 'DELETE' then
    insert into search_changes (kind, id, what) select tg_argv[0], id, 'row' from old_rows;
  elsif tg_op = 'UPDATE' then
    insert into search_changes (kind, id, what)
    select tg_argv[0], coalesce(n.id, o.id),
           case when (o.id, o.name, o.slug) is distinct from (n.id, n.name, n.slug) then 'references' else 'row' end
    from old_rows o full join new_rows n on n.id = o.id
    where o is distinct from n;
  else
    insert into search_changes (kind, id, what) values (tg_argv[0], null, 'truncate');
  end if;
  if found then
    perform pg_notify('search_changes', tg_argv[0]);
  end if;
  return null;
end $$;


-- A relation concerns the documents on both of its ends, before and after. The five relation tables differ in names
-- only, so their functions are made from one text.
do $make$
declare
  relation record;
begin
  for relation in
    select * from (values
      ('roles', 'people', 'person_id', 'companies', 'company_id'),
      ('person_companies', 'people', 'person_id', 'companies', 'company_id'),
      ('event_people', 'people', 'person_id', 'events', 'event_id'),
      ('company_investors', 'companies', 'company_id', 'investors', 'investor_id'),
      ('investor_portfolio', 'investors', 'investor_id', 'companies', 'company_id')
    ) as r (name, owner_kind, owner_id, other_kind, other_id)
  loop
    execute format($function$
      create function log_%1$s_change() returns trigger
        language plpgsql security definer set search_path = public, pg_temp as $body$
      declare
        owners bigint[];
        others bigint[];
      begin
        if tg_op = 'INSERT' then
          select array_agg(distinct %3$I), array_agg(distinct %5$I) into owners, others from new_rows;
        elsif tg_op = 'DELETE' then
          select array_agg(distinct %3$I), array_agg(distinct %5$I) into owners, others from old_rows;
        elsif tg_op = 'UPDATE' then
          select array_agg(distinct %3$I), array_agg(distinct %5$I) into owners, others
          from ((select * from old_rows except all select * from new_rows)
                union all
                (select * from new_rows except all select * from old_rows)) as moved;
        else
          select array_agg(distinct %3$I), array_agg(distinct %5$I) into owners, others from %1$I;
        end if;
        insert into search_changes (kind, id, what)
        select %2$L, o, 'row' from unnest(owners) as o
        union all
        select %4$L, o, 'row' from unnest(others) as o where o is not null;
        if found then
          perform pg_notify('search_changes', %2$L);
        end if;
        return null;
      end $body$
    $function$, relation.name, relation.owner_kind, relation.owner_id, relation.other_kind, relation.other_id);
  end loop;
end $make$;

-- One trigger an event, as transition tables ask for. ALWAYS: a session that sets session_replication_role = replica,
-- as restores do, is logged too. (The apply worker of logical replication fires no statement triggers at all.)
do $make$
declare
  target record;
begin
  for target in
    select * from (values
      ('companies', 'log_entity_change(''companies'')'),
      ('people', 'log_entity_change(''people'')'),
      ('investors', 'log_entity_change(''investors'')'),
      ('events', 'log_entity_change(''events'')'),
      ('roles', 'log_roles_change()'),
      ('person_companies', 'log_person_companies_change()'),
      ('event_people', 'log_event_people_change()'),
      ('company_investors', 'log_company_investors_change()'),
      ('investor_portfolio', 'log_investor_portfolio_change()')
    ) as t (name, logger)
  loop
    execute format('create trigger log_insert after insert on %I referencing new table as new_rows
                      for each statement execute function %s', target.name, target.logger);
    execute format('create trigger log_update after update on %I referencing old table as old_rows new table as new_rows
                      for each statement execute function %s', target.name, target.logger);
    execute format('create trigger log_delete after delete on %I referencing old table as old_rows
                      for each statement execute function %s', target.name, target.logger);
    -- BEFORE: the ends of the relations must still be there to be read.
    execute format('create trigger log_truncate before truncate on %I
                      for each statement execute function %s', target.name, target.logger);
    execute format('alter table %I enable always trigger log_insert', target.name);
    execute format('alter table %I enable always trigger log_update', target.name);
    execute format('alter table %I enable always trigger log_delete', target.name);
    execute format('alter table %I enable always trigger log_truncate', target.name);
  end loop;
end $make$;
