-- The change log: what readers need to keep an index equal to these tables.
--
-- Triggers append to it in the writer's own transaction, so nothing committed is missed and nothing rolled back is
-- seen. They log what changed, not which documents depend on it: a search for dependants here would miss a relation that
-- another transaction has not committed yet, so the reader searches for them later, in a snapshot of its own. Nothing is
-- notified: a transaction that has notified can't be prepared (two-phase commit), and transactions that notify commit
-- one after another. Readers poll.
--
-- Each entry is about documents of one kind. An entity whose name or slug changed has an entry for its own document, and
-- one for each kind whose documents show it.
--
-- A note has the kind 'sources' and the name of its table (or view, or kind) as `entity`. It lists rows that may have
-- changed, by columns that lead to entities; without keys, any row may have changed. The resolver finds the entities that
-- notes concern (indexer/resolver/resolver.ts): it appends entries of the kinds, and the removals.
--
-- what: 'row'         the document of this id; of a note: the rows with this key
--       'references'  documents that show the entity of this id, which is of the kind `entity`
--       'truncate'    (id null) every id of the kind that is not in the table any more
--       'all'         (id null) every document of the kind must be read again; of a note: any row
--       'vector'      the entity's vector of the model changed, which concerns the documents that hold it

-- The log is divided into six partitions, its slots. Writers fill the slot that the sequence search_changes_slot names.
-- Pruning switches the sequence to an empty slot, and truncates slots that no reader needs
-- (indexer/change-log/prune.ts), which takes no time and leaves nothing to vacuum. Readers read all slots, in the order
-- of transactions, so any writer may use any slot. A slot is truncated only under a lock that excludes its writers.
create sequence search_changes_slot as smallint minvalue 0 maxvalue 5 start 0;
select setval('search_changes_slot', 0);

-- The table has no check constraints: Postgres prepares them for every statement, which would double the cost of
-- logging one row.
create table search_changes (
  seq    bigint generated always as identity,
  xid    xid8 not null default pg_current_xact_id(),
  kind   text not null,
  id     bigint,
  what   text not null,
  entity text,
  -- Columns of a source, and for each row their values as texts.
  columns text[],
  keys   text[],
  -- The time of the write, not of the transaction's begin. Lag is measured from it.
  at     timestamptz not null default clock_timestamp(),
  model  text,
  -- A sequence can be read for each row without querying a table, and every transaction sees a switch immediately.
  slot   smallint not null default coalesce(pg_sequence_last_value('search_changes_slot'), 0)::smallint
) partition by list (slot);
alter sequence search_changes_slot owned by search_changes.slot;

-- A reader skips the entries of other kinds.
create index search_changes_kind_xid on search_changes (kind, xid, seq);

do $make$
begin
  for slot in 0..5 loop
    execute format('create table search_changes_%1$s partition of search_changes for values in (%1$s)', slot);
    -- Compressing the keys of a large update would cost a fifth of the update.
    execute format('alter table search_changes_%s alter keys set storage external', slot);
    -- No row is updated or deleted, and slots are truncated before their rows grow old, so there is nothing to vacuum.
    execute format('alter table search_changes_%s set (autovacuum_vacuum_insert_threshold = -1,
                                                       autovacuum_analyze_scale_factor = 0.2)', slot);
  end loop;
end $make$;

-- Kinds whose documents show ids, names or slugs of entities of a kind.
create function search_readers(kind text) returns text[]
  language sql immutable parallel safe
  return case kind
           when 'companies' then array['people', 'investors']
           when 'investors' then array['companies']
           when 'events' then array['people']
           else array[]::text[]
         end;

-- Entries about documents of a kind that a snapshot does not see. An entry of a transaction that this server has not
-- begun was restored from another server, and is ignored. Statements inline these functions, and can stop them early.
create function search_unseen(reader text, seen pg_snapshot) returns setof search_changes
  language sql stable parallel safe
begin atomic
  select c.* from search_changes c
  where c.kind = reader and c.xid >= pg_snapshot_xmax(seen) and c.xid < pg_snapshot_xmax(pg_current_snapshot())
  union all
  select c.* from pg_snapshot_xip(seen) as under_way (xid)
  join search_changes c on c.kind = reader and c.xid = under_way.xid;
end;

-- The first of these entries: one of the later transactions, and one of each transaction that was in progress.
create function search_first_unseen(reader text, seen pg_snapshot) returns table (xid xid8, at timestamptz)
  language sql stable parallel safe
begin atomic
  (select c.xid, c.at from search_changes c
   where c.kind = reader and c.xid >= pg_snapshot_xmax(seen) and c.xid < pg_snapshot_xmax(pg_current_snapshot())
   order by c.xid, c.seq limit 1)
  union all
  select first.xid, first.at from pg_snapshot_xip(seen) as under_way (xid) cross join lateral (
    select c.xid, c.at from search_changes c where c.kind = reader and c.xid = under_way.xid limit 1
  ) as first;
end;

-- The triggers' functions. They run with the rights of the tables' owner, so writers need none on the log.

-- Logs changes of entities, and notes those that may be removed.
create function log_entity_change() returns trigger
  language plpgsql security definer set search_path = public, pg_temp as $$
begin
  if tg_op = 'INSERT' then
    insert into search_changes (kind, id, what) select tg_argv[0], id, 'row' from new_rows;
  elsif tg_op = 'DELETE' then
    insert into search_changes (kind, id, what) select tg_argv[0], id, 'row' from old_rows;
    insert into search_changes (kind, what, entity, columns, keys)
    select 'sources', 'row', tg_argv[0], '{id}', array_agg(array[id::text])
    from (select id, (row_number() over () - 1) / 500 as batch from old_rows) as deleted group by batch;
  elsif tg_op = 'UPDATE' then
    insert into search_changes (kind, id, what, entity)
    select reader, coalesce(n.id, o.id), case when reader = tg_argv[0] then 'row' else 'references' end,
           case when reader <> tg_argv[0] then tg_argv[0] end
    from old_rows o full join new_rows n on n.id = o.id
    join unnest(tg_argv[0] || search_readers(tg_argv[0])) as reader
      on reader = tg_argv[0] or (o.id, o.name, o.slug) is distinct from (n.id, n.name, n.slug)
    where o is distinct from n;
  else
    insert into search_changes (kind, id, what) values (tg_argv[0], null, 'truncate');
    insert into search_changes (kind, what, entity) values ('sources', 'all', tg_argv[0]);
  end if;
  return null;
end $$;

-- Notes the old id when an entity's id changes. It fires per row, so that only such changes cost anything.
create function log_entity_moved() returns trigger
  language plpgsql security definer set search_path = public, pg_temp as $$
begin
  insert into search_changes (kind, what, entity, columns, keys)
  values ('sources', 'row', tg_argv[0], '{id}', array[array[old.id::text]]);
  return null;
end $$;

-- Logs that a relation was truncated. Under repeatable read, TRUNCATE sees the relation as it was when its transaction
-- began, so rows that were committed since are removed without an entry. Then everything on both sides must be read again.
create function log_relation_emptied() returns trigger
  language plpgsql security definer set search_path = public, pg_temp as $$
begin
  if current_setting('transaction_isolation') in ('repeatable read', 'serializable') then
    insert into search_changes (kind, id, what) values (tg_argv[0], null, 'all'), (tg_argv[1], null, 'all');
  end if;
  return null;
end $$;

-- A relation concerns the documents on both of its ends, before and after. The functions of the five relation tables
-- differ only in names, so they are created from one text.
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
        return null;
      end $body$
    $function$, relation.name, relation.owner_kind, relation.owner_id, relation.other_kind, relation.other_id);
    execute format('create trigger log_truncate_all before truncate on %I
                      for each statement execute function log_relation_emptied(%L, %L)',
                   relation.name, relation.owner_kind, relation.other_kind);
    execute format('alter table %I enable always trigger log_truncate_all', relation.name);
  end loop;
end $make$;

-- One trigger per event, as transition tables require. ALWAYS: a session that sets session_replication_role = replica,
-- as restores do, is logged too. (The apply worker of logical replication fires no statement triggers at all.)
do $make$
declare
  target record;
  kind text;
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
  foreach kind in array array['companies', 'people', 'investors', 'events'] loop
    execute format('create trigger log_moved after update of id on %1$I for each row when (old.id <> new.id)
                      execute function log_entity_moved(%1$L)', kind);
    execute format('alter table %I enable always trigger log_moved', kind);
  end loop;
end $make$;
