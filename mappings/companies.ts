import type { estypes } from '@elastic/elasticsearch';
import type { CompanyDocument } from '../src/kinds/companies.ts';
import * as field from './fields.ts';

export const companies: Record<keyof CompanyDocument, estypes.MappingProperty> = {
  id: field.id,
  name: field.name,
  slug: field.slug,
  logo: field.shownKeyword,
  tagline: field.shownText,
  overview: field.overview,
  total_employees: field.wholeNumber,
  employee_count: field.shownNumber,
  year_founded: field.wholeNumber,
  founded_date: field.calendarDate,
  website: field.shownKeyword,
  tags: field.value,
  location_json: field.location,
  company_stage: field.value,
  funding_stage: field.value,
  total_funding_usd: field.sortedMoney,
  is_verified: field.shownBoolean,
  aliases: field.shownText,
  former_names: field.shownText,
  tickers: field.shownKeyword,
  ecosystems: field.value,
  investors: field.shownText,
  investor_references: field.opaque,
  links: field.opaque,
  updated_at: field.instant,
  hash: field.hash,
  search: field.search,
};
