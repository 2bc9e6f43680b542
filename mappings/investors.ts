import type { estypes } from '@elastic/elasticsearch';
import type { InvestorDocument } from '../src/kinds/investors.ts';
import * as field from './fields.ts';

export const investors: Record<keyof InvestorDocument, estypes.MappingProperty> = {
  id: field.id,
  name: field.name,
  slug: field.slug,
  logo: field.shownKeyword,
  overview: field.overview,
  website: field.shownKeyword,
  investor_type: field.foundValue,
  investment_focus: field.value,
  investment_stages: field.foundValue,
  ticket_size: field.shownKeyword,
  portfolio_companies: field.opaque,
  portfolio_count: field.shownNumber,
  location_json: field.location,
  aliases: field.shownText,
  links: field.opaque,
  updated_at: field.instant,
  hash: field.hash,
  search: field.search,
};
