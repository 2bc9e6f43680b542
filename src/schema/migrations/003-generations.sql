-- Where each index stands. A generation is one Elasticsearch index of one kind; the alias of the kind points at the
-- live one. Elasticsearch's alias is the truth about which is live; these rows are the story.

-- External versions of documents. Drawn once a cursor transaction; CACHE 1, so that draws are ordered over sessions.
create sequence search_versions as bigint cache 1;

create table search_generations (
  id            bigint generated always as identity primary key,
  kind          text not null check (kind in ('companies', 'people', 'investors', 'events')),
  number        integer not null check (number > 0),
  index_name    text not null unique,
  hash          text not null,
  definition    jsonb not null,
  document_sql  text not null,
  state         text not null default 'planned' check (state in (
                  'planned', 'created', 'loading', 'catching-up', 'verifying', 'ready', 'live', 'retired',
                  'failed', 'aborted')),
  position      pg_snapshot,
  resume_id     bigint,
  rows_read     bigint not null default 0,
  documents     bigint not null default 0,
  dead_letters  bigint not null default 0,
  bytes         bigint not null default 0,
  last_error    text,
  created_at    timestamptz not null default now(),
  loaded_at     timestamptz,
  live_at       timestamptz,
  ended_at      timestamptz,
  unique (kind, number)
);
create unique index search_generations_live on search_generations (kind) where state = 'live';

-- Documents that Elasticsearch would not take.
create table search_dead_letters (
  generation_id bigint not null references search_generations on delete cascade,
  id            bigint not null,
  reason        text not null,
  document      text,
  attempts      integer not null default 1,
  first_at      timestamptz not null default now(),
  last_at       timestamptz not null default now(),
  primary key (generation_id, id)
);
