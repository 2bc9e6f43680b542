-- A halted generation is compared with the tables and mended by sync itself, within bounds.

alter table search_generations
  add column halted_at timestamptz,
  -- When its last halt ended; null once it was compared again after the longest life of a request, because one of
  -- before the halt may have been late.
  add column halt_ended_at timestamptz,
  -- What the index's documents are: the index and its shards' histories. Another text: it was restored or made anew.
  add column target_history text,
  -- Counts the times that a reader was about to write. Elasticsearch is told the number first, so one that is higher
  -- there than here shows that this database has gone back.
  add column write_marker bigint not null default 0,
  -- Names that number in Elasticsearch: an index of the same name may have been another database's.
  add column marker_id uuid not null default gen_random_uuid();
update search_generations set halted_at = now() where halted is not null;

-- Versions from here on are above this one; returns the last one that may have been drawn. Whoever raises them at the
-- same time waits, and a distance is kept to those who draw meanwhile: the sequence never goes back.
create function search_raise_versions(above bigint) returns bigint
  language plpgsql as $$
declare
  last bigint;
begin
  perform pg_advisory_xact_lock(hashtextextended('entity-search versions', 0));
  select last_value into last from search_versions;
  if last >= above then
    return last;
  end if;
  return setval('search_versions', greatest(above, last + 1048576));
end $$;

-- To the seconds of the clock in the high bits, or, where the clock was put back, at least a little.
create or replace function search_raise_epoch() returns bigint
  language sql
  return search_raise_versions(greatest((select last_value from search_versions) + 1,
                                        extract(epoch from clock_timestamp())::bigint << 20));
