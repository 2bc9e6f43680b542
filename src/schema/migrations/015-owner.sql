-- Which database made an index. Its mapping holds this id, so that a second database with the same prefix, or another
-- cluster at the same address, is noticed before an alias moves. A dump brings the id along: what is restored from it
-- goes on with the indices of its origin.
create table search_owner (
  id  uuid primary key default gen_random_uuid(),
  one boolean not null default true unique check (one)
);
insert into search_owner default values;
