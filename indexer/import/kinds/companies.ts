import { z } from 'zod';
import {
  calendarDay,
  commonColumns,
  commonParts,
  indexedText,
  list,
  money,
  optional,
  prose,
  text,
  wholeNumber,
  year,
} from './fields.ts';
import { defineKindImport } from './kind-import.ts';

/** One line of companies.ndjson. */
const companyLine = z
  .strictObject({
    ...commonParts,
    tagline: optional(prose),
    total_employees: optional(wholeNumber),
    employee_count: optional(wholeNumber),
    year_founded: optional(year),
    founded_date: optional(calendarDay),
    website: optional(text),
    tags: list(text),
    company_stage: optional(text),
    funding_stage: optional(text),
    total_funding_usd: optional(money),
    is_verified: optional(z.boolean()),
    aliases: list(text),
    former_names: list(text),
    tickers: list(text),
    ecosystems: list(text),
    investors: list(indexedText.min(1, 'must not be empty')),
  })
  .superRefine((line, context) => {
    const { total_employees: total, employee_count: count, year_founded: founded, founded_date: day } = line;
    if (total !== null && count !== null && total !== count) {
      context.addIssue({
        code: 'custom',
        path: ['employee_count'],
        message: `says ${count} where total_employees says ${total}; they are one number`,
      });
    }
    if (founded !== null && day !== null && Number(day.slice(0, 4)) !== founded) {
      context.addIssue({
        code: 'custom',
        path: ['founded_date'],
        message: `is in another year than year_founded (${founded})`,
      });
    }
  });

export const companiesImport = defineKindImport({
  kind: 'companies',
  schema: companyLine,
  columns: [
    'id',
    'name',
    'slug',
    'logo',
    'tagline',
    'overview',
    'employee_count',
    'year_founded',
    'founded_date',
    'website',
    'tags',
    'city',
    'country',
    'company_stage',
    'funding_stage',
    'total_funding_usd',
    'is_verified',
    'aliases',
    'former_names',
    'tickers',
    'ecosystems',
    'links',
    'sources',
    'synthetic',
  ],
  row: (line) => ({
    ...commonColumns(line),
    tagline: line.tagline,
    employee_count: line.employee_count ?? line.total_employees,
    year_founded: line.year_founded,
    founded_date: line.founded_date,
    website: line.website,
    tags: line.tags,
    company_stage: line.company_stage,
    funding_stage: line.funding_stage,
    total_funding_usd: line.total_funding_usd,
    is_verified: line.is_verified,
    aliases: line.aliases,
    former_names: line.former_names,
    tickers: line.tickers,
    ecosystems: line.ecosystems,
  }),
  relations: [
    {
      table: 'company_investors',
      owner: 'company_id',
      texts: ['investor_name'],
      reference: 'investor_id',
      referenceTexts: ['investor_name'],
      resolve: 'resolve_investor(t.investor_name)',
      rows: (line) => line.investors.map((investor) => [investor]),
    },
  ],
});
