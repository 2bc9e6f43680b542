import type { KindName } from '../kinds/kind.ts';

/**
 * The entities related to those of each kind: id, name, slug, and the first day of events, of at most $2 entities of
 * each other kind, for the entity with the id $1. Null if the record itself lists them all with their slugs.
 */
export const relatedSql: Readonly<Record<KindName, string | null>> = {
  companies: `
    (select 'people' as kind, p.id, p.name, p.slug, null as date from people p
     where p.id in (select person_id from roles where company_id = $1
                    union select person_id from person_companies where company_id = $1)
     order by p.name, p.id limit $2)
    union all
    (select 'investors', i.id, i.name, i.slug, null from investors i
     where i.id in (select investor_id from company_investors where company_id = $1
                    union select investor_id from investor_portfolio where company_id = $1)
     order by i.name, i.id limit $2)`,
  people: `
    (select 'companies' as kind, c.id, c.name, c.slug, null as date from companies c
     where c.id in (select company_id from roles where person_id = $1
                    union select company_id from person_companies where person_id = $1)
     order by c.name, c.id limit $2)
    union all
    (select 'events', e.id, e.name, e.slug, e.start_date::text from events e
     where e.id in (select event_id from event_people where person_id = $1)
     order by e.start_date desc nulls last, e.name, e.id limit $2)`,
  investors: null,
  events: `
    select 'people' as kind, p.id, p.name, p.slug, null as date from people p
    where p.id in (select person_id from event_people where event_id = $1)
    order by p.name, p.id limit $2`,
};
