-- When a generation stopped answering searches. What began in it (a cursor, a slow request) may still need its index.
alter table search_generations add column retired_at timestamptz;
update search_generations set retired_at = now() where state = 'retired';
