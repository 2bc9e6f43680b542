-- The entities and the relations between them. Unknown values are null (arrays: empty) and stay so.
--
-- A relation has an owner, the entity whose source file asserts it, and a reference to the other side. The reference
-- keeps the text it was asserted with. Its id is null until that entity exists, and again after that entity is deleted.
-- Deleting the owner deletes the relation.
--
-- Slugs are deferrable: their uniqueness is checked at the end of a statement, so that one statement can exchange two.

create table companies (
  id                bigint primary key check (id between 1 and 9007199254740991),
  name              text not null check (name = btrim(name) and name <> ''),
  slug              text not null unique deferrable check (slug = btrim(slug) and slug <> ''),
  logo              text,
  tagline           text,
  overview          text,
  employee_count    integer check (employee_count >= 0),
  year_founded      integer check (year_founded between 1 and 9999),
  founded_date      date,
  website           text,
  tags              text[] not null default '{}',
  city              text,
  country           text,
  company_stage     text,
  funding_stage     text,
  total_funding_usd numeric(20, 2) check (total_funding_usd >= 0),
  is_verified       boolean,
  aliases           text[] not null default '{}',
  former_names      text[] not null default '{}',
  tickers           text[] not null default '{}',
  ecosystems        text[] not null default '{}',
  links             jsonb not null default '{}' check (jsonb_typeof(links) = 'object'),
  sources           jsonb not null default '[]' check (jsonb_typeof(sources) = 'array'),
  synthetic         boolean not null default false,
  created_at        timestamptz not null default now(),
  updated_at        timestamptz not null default now(),
  check (founded_date is null or year_founded is null or year_founded = extract(year from founded_date))
);

create table people (
  id            bigint primary key check (id between 1 and 9007199254740991),
  name          text not null check (name = btrim(name) and name <> ''),
  slug          text not null unique deferrable check (slug = btrim(slug) and slug <> ''),
  logo          text,
  headline      text,
  overview      text,
  proposals     text[] not null default '{}',
  tags          text[] not null default '{}',
  aliases       text[] not null default '{}',
  city          text,
  country       text,
  links         jsonb not null default '{}' check (jsonb_typeof(links) = 'object'),
  sources       jsonb not null default '[]' check (jsonb_typeof(sources) = 'array'),
  synthetic     boolean not null default false,
  created_at    timestamptz not null default now(),
  updated_at    timestamptz not null default now()
);

create table investors (
  id                bigint primary key check (id between 1 and 9007199254740991),
  name              text not null check (name = btrim(name) and name <> ''),
  slug              text not null unique deferrable check (slug = btrim(slug) and slug <> ''),
  logo              text,
  overview          text,
  website           text,
  investor_type     text,
  investment_focus  text[] not null default '{}',
  investment_stages text[] not null default '{}',
  ticket_size       text,
  city              text,
  country           text,
  aliases           text[] not null default '{}',
  links             jsonb not null default '{}' check (jsonb_typeof(links) = 'object'),
  sources           jsonb not null default '[]' check (jsonb_typeof(sources) = 'array'),
  synthetic         boolean not null default false,
  created_at        timestamptz not null default now(),
  updated_at        timestamptz not null default now()
);

create table events (
  id          bigint primary key check (id between 1 and 9007199254740991),
  name        text not null check (name = btrim(name) and name <> ''),
  slug        text not null unique deferrable check (slug = btrim(slug) and slug <> ''),
  logo        text,
  overview    text,
  website     text,
  start_date  date,
  end_date    date,
  year        integer check (year between 1 and 9999),
  venue       text,
  organizer   text,
  event_types text[] not null default '{}',
  tags        text[] not null default '{}',
  ecosystems  text[] not null default '{}',
  is_online   boolean,
  capacity    integer check (capacity >= 0),
  city        text,
  country     text,
  links       jsonb not null default '{}' check (jsonb_typeof(links) = 'object'),
  sources     jsonb not null default '[]' check (jsonb_typeof(sources) = 'array'),
  synthetic   boolean not null default false,
  created_at  timestamptz not null default now(),
  updated_at  timestamptz not null default now(),
  check (end_date >= start_date)
);

-- The present and past positions of a person, including talks. Owner: the person.
create table roles (
  person_id    bigint not null references people on delete cascade on update cascade,
  position     integer not null check (position >= 0),
  title        text,
  organisation text,
  detail       text,
  company_id   bigint references companies on delete set null on update cascade,
  primary key (person_id, position)
);

-- The companies that a person belongs to, by slug. Owner: the person.
create table person_companies (
  person_id    bigint not null references people on delete cascade on update cascade,
  position     integer not null check (position >= 0),
  company_slug text not null,
  company_id   bigint references companies on delete set null on update cascade,
  primary key (person_id, position)
);

-- The events that a person took part in. Owner: the person.
create table event_people (
  person_id  bigint not null references people on delete cascade on update cascade,
  position   integer not null check (position >= 0),
  event_slug text not null,
  event_id   bigint references events on delete set null on update cascade,
  primary key (person_id, position)
);

-- The investors of a company, according to the company's file. Owner: the company.
create table company_investors (
  company_id    bigint not null references companies on delete cascade on update cascade,
  position      integer not null check (position >= 0),
  investor_name text not null,
  investor_id   bigint references investors on delete set null on update cascade,
  primary key (company_id, position)
);

-- The companies that an investor invested in, according to the investor's file. Owner: the investor.
create table investor_portfolio (
  investor_id  bigint not null references investors on delete cascade on update cascade,
  position     integer not null check (position >= 0),
  company_name text not null,
  company_slug text,
  company_id   bigint references companies on delete set null on update cascade,
  primary key (investor_id, position)
);

-- The assertions of both sides in one shape; documents show their union. Called again when a team's view takes the place
-- of one of the tables, or gives it back.
create function entity_search_join_investments() returns void language plpgsql set search_path = public as $$
declare
  investments constant text := $view$
    select company_id, null::text as company_name, null::text as company_slug,
           investor_id, investor_name, 'companies'::text as asserted_by, position
    from company_investors
    union all
    select company_id, company_name, company_slug, investor_id, null, 'investors', position
    from investor_portfolio $view$;
begin
  execute 'create or replace view investments as ' || investments;
exception when invalid_table_definition then
  -- A column has another collation.
  drop view investments;
  execute 'create view investments as ' || investments;
end $$;
select entity_search_join_investments();

-- Dependants of a renamed entity are read a page at a time, in the order of their ids.
create index roles_company_person on roles (company_id, person_id);
create index person_companies_company_person on person_companies (company_id, person_id);
create index event_people_event_person on event_people (event_id, person_id);
create index company_investors_investor_company on company_investors (investor_id, company_id);
create index investor_portfolio_company_investor on investor_portfolio (company_id, investor_id);

-- References whose entity does not exist yet, found by the text they were asserted with.
create index roles_waiting on roles (lower(organisation)) where company_id is null;
create index person_companies_waiting on person_companies (company_slug) where company_id is null;
create index event_people_waiting on event_people (event_slug) where event_id is null;
create index company_investors_waiting on company_investors (lower(investor_name)) where investor_id is null;
create index investor_portfolio_waiting_slug on investor_portfolio (company_slug) where company_id is null;
create index investor_portfolio_waiting_name on investor_portfolio (lower(company_name)) where company_id is null;

create index companies_name on companies (lower(name));
create index investors_name on investors (lower(name));

-- Values that Postgres can hold, but not a date with a four-digit year, JSON or the documents' SQL. They are refused
-- here, where the writer gets the error. The constraints are "not valid" because documents show null in place of such a
-- value: a view over a team's own table need not check for it (src/schema/sources/shown-tables.ts).
do $make$
declare
  place record;
begin
  for place in
    -- Text arrays have one dimension and no nulls.
    select name, field, 'flat' as suffix,
           'case when array_ndims(%1$I) > 1 then false else array_position(%1$I, null) is null end' as condition
    from (values
      ('companies', 'tags'), ('companies', 'aliases'), ('companies', 'former_names'), ('companies', 'tickers'),
      ('companies', 'ecosystems'),
      ('people', 'proposals'), ('people', 'tags'), ('people', 'aliases'),
      ('investors', 'investment_focus'), ('investors', 'investment_stages'), ('investors', 'aliases'),
      ('events', 'event_types'), ('events', 'tags'), ('events', 'ecosystems')
    ) as p (name, field)
    union all
    -- Dates that YYYY-MM-DD can write: no infinity, and years from 1 to 9999.
    select name, field, 'writable', '%I between ''0001-01-01'' and ''9999-12-31'''
    from (values ('companies', 'founded_date'), ('events', 'start_date'), ('events', 'end_date')) as p (name, field)
    union all
    select name, field, 'writable', '%1$I >= ''0001-01-01T00:00:00Z'' and %1$I < ''9999-12-31T23:59:59.999Z'''
    from unnest(array['companies', 'people', 'investors', 'events']) as name, unnest(array['created_at', 'updated_at']) as field
    union all
    -- Links are strings.
    select name, 'links', 'texts', 'not jsonb_path_exists(%I, ''strict $.* ? (@.type() != "string")'', ''{}'', true)'
    from unnest(array['companies', 'people', 'investors', 'events']) as name
    union all
    -- Documents add a million to positions.
    select name, 'position', 'bounded', '%I <= 2146483647'
    from unnest(array['roles', 'person_companies', 'event_people', 'company_investors', 'investor_portfolio']) as name
  loop
    execute format('alter table %I add constraint %I check (%s) not valid', place.name,
                   format('%s_%s_%s', place.name, place.field, place.suffix), format(place.condition, place.field));
  end loop;
end $make$;

-- In Postgres, NaN is greater than every number, so a lower bound accepts it.
alter table companies add constraint companies_total_funding_usd_number check (total_funding_usd <> 'NaN') not valid;

-- Resolves a reference by its slug or, without one, by its name if exactly one entity has that name.
create function resolve_company(reference_slug text, reference_name text) returns bigint
  language sql stable parallel safe
  begin atomic
    select coalesce(
      (select id from companies where slug = reference_slug),
      (select min(id) from companies where lower(name) = lower(reference_name) having count(*) = 1)
    );
  end;

create function resolve_investor(reference_name text) returns bigint
  language sql stable parallel safe
  begin atomic
    select min(id) from investors where lower(name) = lower(reference_name) having count(*) = 1;
  end;

-- Resolves waiting references when an entity appears or changes its name.
create function adopt_company_references() returns trigger language plpgsql as $$
begin
  update roles set company_id = resolve_company(null, organisation)
  where company_id is null and lower(organisation) in (select lower(name) from appeared)
    and resolve_company(null, organisation) is not null;
  update person_companies r set company_id = a.id from appeared a
  where r.company_id is null and r.company_slug = a.slug;
  update investor_portfolio set company_id = resolve_company(company_slug, company_name)
  where company_id is null
    and (company_slug in (select slug from appeared) or lower(company_name) in (select lower(name) from appeared))
    and resolve_company(company_slug, company_name) is not null;
  return null;
end $$;

create function adopt_investor_references() returns trigger language plpgsql as $$
begin
  update company_investors set investor_id = resolve_investor(investor_name)
  where investor_id is null and lower(investor_name) in (select lower(name) from appeared)
    and resolve_investor(investor_name) is not null;
  return null;
end $$;

create function adopt_event_references() returns trigger language plpgsql as $$
begin
  update event_people r set event_id = a.id from appeared a
  where r.event_id is null and r.event_slug = a.slug;
  return null;
end $$;

create trigger adopt_on_insert after insert on companies referencing new table as appeared
  for each statement execute function adopt_company_references();
create trigger adopt_on_update after update on companies referencing new table as appeared
  for each statement execute function adopt_company_references();
create trigger adopt_on_insert after insert on investors referencing new table as appeared
  for each statement execute function adopt_investor_references();
create trigger adopt_on_update after update on investors referencing new table as appeared
  for each statement execute function adopt_investor_references();
create trigger adopt_on_insert after insert on events referencing new table as appeared
  for each statement execute function adopt_event_references();
create trigger adopt_on_update after update on events referencing new table as appeared
  for each statement execute function adopt_event_references();

-- Sets updated_at when another column of the row changed, unless the writer sets it.
create function touch_updated_at() returns trigger language plpgsql as $$
begin
  if new is distinct from old and new.updated_at = old.updated_at then
    new.updated_at := now();
  end if;
  return new;
end $$;

create trigger touch before update on companies for each row execute function touch_updated_at();
create trigger touch before update on people for each row execute function touch_updated_at();
create trigger touch before update on investors for each row execute function touch_updated_at();
create trigger touch before update on events for each row execute function touch_updated_at();
