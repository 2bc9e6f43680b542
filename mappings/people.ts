import type { estypes } from '@elastic/elasticsearch';
import type { PersonDocument } from '../src/kinds/people.ts';
import * as field from './fields.ts';

export const people: Record<keyof PersonDocument, estypes.MappingProperty> = {
  id: field.id,
  name: field.name,
  slug: field.slug,
  logo: field.shownKeyword,
  headline: field.shownText,
  overview: field.overview,
  roles: field.opaque,
  companies: field.foundValue,
  company_references: field.opaque,
  events: field.foundValue,
  event_references: field.opaque,
  proposals: field.shownKeyword,
  tags: field.value,
  aliases: field.shownText,
  location_json: field.location,
  links: field.opaque,
  updated_at: field.instant,
  hash: field.hash,
  search: field.search,
};
