import { z } from 'zod';
import { commonColumns, commonParts, indexedText, list, optional, text } from './fields.ts';
import { defineKindImport } from './kind-import.ts';

/** One line of investors.ndjson. */
const investorLine = z.strictObject({
  ...commonParts,
  website: optional(text),
  investor_type: optional(text),
  investment_focus: list(text),
  investment_stages: list(text),
  ticket_size: optional(text),
  portfolio_companies: list(
    z.strictObject({ name: indexedText.min(1, 'must not be empty'), slug: optional(indexedText) }),
  ),
  aliases: list(text),
});

export const investorsImport = defineKindImport({
  kind: 'investors',
  schema: investorLine,
  columns: [
    'id',
    'name',
    'slug',
    'logo',
    'overview',
    'website',
    'investor_type',
    'investment_focus',
    'investment_stages',
    'ticket_size',
    'city',
    'country',
    'aliases',
    'links',
    'sources',
    'synthetic',
  ],
  row: (line) => ({
    ...commonColumns(line),
    website: line.website,
    investor_type: line.investor_type,
    investment_focus: line.investment_focus,
    investment_stages: line.investment_stages,
    ticket_size: line.ticket_size,
    aliases: line.aliases,
  }),
  relations: [
    {
      table: 'investor_portfolio',
      owner: 'investor_id',
      texts: ['company_name', 'company_slug'],
      reference: 'company_id',
      referenceTexts: ['company_name', 'company_slug'],
      resolve: 'resolve_company(t.company_slug, t.company_name)',
      rows: (line) => line.portfolio_companies.map((company) => [company.name, company.slug]),
    },
  ],
});
