-- Vectors of entities' texts, for searches by meaning. They are filled in the background, logged like other data, and
-- part of the documents of indices that are built for their model.

create table entity_vectors (
  kind        text not null check (kind in ('companies', 'people', 'investors', 'events')),
  id          bigint not null,
  -- The model, as an eight-digit hash of its name and dimension.
  model       text not null check (model ~ '^[0-9a-f]{8}$'),
  -- MD5 of the embedded text. An entity whose text has a different MD5 needs a new vector.
  text_hash   text not null check (text_hash ~ '^[0-9a-f]{32}$'),
  -- One signed byte for each number.
  vector      bytea not null check (octet_length(vector) between 1 and 4096),
  embedded_at timestamptz not null default now(),
  primary key (kind, model, id)
);
-- Vectors can't be compressed.
alter table entity_vectors alter column vector set storage external;

create function log_vector_change() returns trigger
  language plpgsql security definer set search_path = public, pg_temp as $$
begin
  if tg_op = 'INSERT' then
    insert into search_changes (kind, id, what, model) select kind, id, 'vector', model from new_rows;
  elsif tg_op = 'DELETE' then
    insert into search_changes (kind, id, what, model) select kind, id, 'vector', model from old_rows;
  elsif tg_op = 'UPDATE' then
    -- A change of a row's key is logged for both entities. An unchanged vector is not logged.
    insert into search_changes (kind, id, what, model)
    select kind, id, 'vector', model
    from ((select kind, id, model, vector from old_rows except select kind, id, model, vector from new_rows)
          union
          (select kind, id, model, vector from new_rows except select kind, id, model, vector from old_rows)) as changed
    group by kind, id, model;
  else
    insert into search_changes (kind, id, what) select distinct kind, null::bigint, 'all' from entity_vectors;
  end if;
  return null;
end $$;

create trigger log_insert after insert on entity_vectors referencing new table as new_rows
  for each statement execute function log_vector_change();
create trigger log_update after update on entity_vectors referencing old table as old_rows new table as new_rows
  for each statement execute function log_vector_change();
create trigger log_delete after delete on entity_vectors referencing old table as old_rows
  for each statement execute function log_vector_change();
create trigger log_truncate before truncate on entity_vectors
  for each statement execute function log_vector_change();
alter table entity_vectors enable always trigger log_insert;
alter table entity_vectors enable always trigger log_update;
alter table entity_vectors enable always trigger log_delete;
alter table entity_vectors enable always trigger log_truncate;
