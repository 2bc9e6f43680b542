import { z } from 'zod';
import { indexedText, list, optional, text } from './fields.ts';
import { defineKindImport } from './kind-import.ts';

export const investorsImport = defineKindImport({
  kind: 'investors',
  columns: {
    website: optional(text),
    investor_type: optional(text),
    investment_focus: list(text),
    investment_stages: list(text),
    ticket_size: optional(text),
    aliases: list(text),
  },
  others: {
    portfolio_companies: list(
      z.strictObject({ name: indexedText.min(1, 'must not be empty'), slug: optional(indexedText) }),
    ),
  },
  relations: [
    {
      table: 'investor_portfolio',
      owner: 'investor_id',
      texts: ['company_name', 'company_slug'],
      reference: 'company_id',
      resolve: 'resolve_company(t.company_slug, t.company_name)',
      rows: (line) => line.portfolio_companies.map(({ name, slug }) => ({ company_name: name, company_slug: slug })),
    },
  ],
});
