-- Which state of a row a letter is about: one that was read earlier and taken later does not clear it.
alter table search_dead_letters add column version bigint not null default 0;
