import type { estypes } from '@elastic/elasticsearch';
import type { EventDocument } from '../src/kinds/events.ts';
import * as field from './fields.ts';

export const events: Record<keyof EventDocument, estypes.MappingProperty> = {
  id: field.id,
  name: field.name,
  slug: field.slug,
  logo: field.shownKeyword,
  overview: field.overview,
  website: field.shownKeyword,
  start_date: field.calendarDate,
  end_date: field.shownDate,
  year: field.shownNumber,
  venue: field.shownText,
  organizer: field.shownText,
  event_types: field.value,
  tags: field.value,
  ecosystems: field.value,
  is_online: { type: 'boolean' },
  capacity: field.shownNumber,
  location_json: field.location,
  links: field.opaque,
  updated_at: field.instant,
  hash: field.hash,
  search: field.search,
};
