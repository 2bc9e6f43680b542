-- Values that Postgres can hold, but neither a calendar date of four digits, nor JSON, nor the documents' SQL. Such a
-- row would become a dead letter, or stand in the index with less than it says; it is refused here instead, where its
-- writer is told. Not validated: rows that were written before do not stop the migration. Their documents show null
-- in place of such a value, and a change of such a row has to mend it.

do $make$
declare
  place record;
begin
  -- Text arrays have one dimension and no nulls.
  for place in
    select * from (values
      ('companies', 'tags'), ('companies', 'aliases'), ('companies', 'former_names'), ('companies', 'tickers'),
      ('companies', 'ecosystems'),
      ('people', 'proposals'), ('people', 'tags'), ('people', 'aliases'),
      ('investors', 'investment_focus'), ('investors', 'investment_stages'), ('investors', 'aliases'),
      ('events', 'event_types'), ('events', 'tags'), ('events', 'ecosystems')
    ) as p (name, field)
  loop
    execute format('alter table %1$I add constraint %3$I check (
                      case when array_ndims(%2$I) > 1 then false else array_position(%2$I, null) is null end
                    ) not valid', place.name, place.field, format('%s_%s_flat', place.name, place.field));
  end loop;

  -- Dates are those that YYYY-MM-DD can write: no infinity, nothing before the year 1 or after 9999.
  for place in
    select * from (values ('companies', 'founded_date'), ('events', 'start_date'), ('events', 'end_date')) as p (name, field)
  loop
    execute format('alter table %1$I add constraint %3$I check (
                      %2$I between ''0001-01-01'' and ''9999-12-31''
                    ) not valid', place.name, place.field, format('%s_%s_writable', place.name, place.field));
  end loop;

  for place in
    select name, field
    from unnest(array['companies', 'people', 'investors', 'events']) as name, unnest(array['created_at', 'updated_at']) as field
  loop
    execute format('alter table %1$I add constraint %3$I check (
                      %2$I >= ''0001-01-01T00:00:00Z'' and %2$I < ''9999-12-31T23:59:59.999Z''
                    ) not valid', place.name, place.field, format('%s_%s_writable', place.name, place.field));
  end loop;

  -- Links are texts.
  for place in
    select name from unnest(array['companies', 'people', 'investors', 'events']) as name
  loop
    execute format('alter table %1$I add constraint %2$I check (
                      not jsonb_path_exists(links, ''strict $.* ? (@.type() != "string")'', ''{}'', true)
                    ) not valid', place.name, format('%s_links_texts', place.name));
  end loop;

  -- Documents add a million to positions.
  for place in
    select name from unnest(array['roles', 'person_companies', 'event_people', 'company_investors', 'investor_portfolio']) as name
  loop
    execute format('alter table %1$I add constraint %2$I check (position <= 2146483647) not valid',
                   place.name, format('%s_position_bounded', place.name));
  end loop;
end $make$;

-- NaN is above every number to Postgres, so a lower bound lets it in.
alter table companies add constraint companies_total_funding_usd_number check (total_funding_usd <> 'NaN') not valid;
