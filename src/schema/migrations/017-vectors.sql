-- Vectors of entities' texts, for searches by meaning. They are data like any other: filled in the background, logged,
-- and part of the documents of those indices that are made for their model.

create table entity_vectors (
  kind        text not null check (kind in ('companies', 'people', 'investors', 'events')),
  id          bigint not null,
  -- Which model made it: eight digits that stand for its name and dimension.
  model       text not null check (model ~ '^[0-9a-f]{8}$'),
  -- MD5 of the text that it was made of: a text with another one waits for its vector.
  text_hash   text not null check (text_hash ~ '^[0-9a-f]{32}$'),
  -- One signed byte for each number.
  vector      bytea not null check (octet_length(vector) between 1 and 4096),
  embedded_at timestamptz not null default now(),
  primary key (kind, model, id)
);
-- It can't be compressed.
alter table entity_vectors alter column vector set storage external;

-- The model whose vectors a generation's documents hold; null: none.
alter table search_generations add column embedding_model text;

-- what: 'vector'  the entity's vector of the model changed, which concerns the documents that hold it
alter table search_changes
  add column model text,
  drop constraint search_changes_what_check,
  add constraint search_changes_what_check check (what in ('row', 'references', 'truncate', 'all', 'vector')),
  add constraint search_changes_model_check check ((model is not null) = (what = 'vector'));

create function log_vector_change() returns trigger
  language plpgsql security definer set search_path = public, pg_temp as $$
begin
  if tg_op = 'INSERT' then
    insert into search_changes (kind, id, what, model) select kind, id, 'vector', model from new_rows;
  elsif tg_op = 'DELETE' then
    insert into search_changes (kind, id, what, model) select kind, id, 'vector', model from old_rows;
  elsif tg_op = 'UPDATE' then
    -- A row whose key changes concerns both entities. A vector that came out the same concerns nobody.
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
