import { z } from 'zod';
import { calendarDay, indexedText, list, money, optional, prose, text, wholeNumber, year } from './fields.ts';
import { defineKindImport, type LineProblem } from './kind-import.ts';

export const companiesImport = defineKindImport({
  kind: 'companies',
  columns: {
    tagline: optional(prose),
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
  },
  others: { total_employees: optional(wholeNumber), investors: list(indexedText.min(1, 'must not be empty')) },
  merge: (line) => ({ employee_count: line.employee_count ?? line.total_employees }),
  check({ total_employees: total, employee_count: count, year_founded: founded, founded_date: day }) {
    const problems: LineProblem[] = [];
    if (total !== null && count !== null && total !== count) {
      const message = `is ${count}, but total_employees is ${total}; give one number`;
      problems.push({ path: 'employee_count', message });
    }
    if (founded !== null && day !== null && Number(day.slice(0, 4)) !== founded) {
      problems.push({ path: 'founded_date', message: `is in another year than year_founded (${founded})` });
    }
    return problems;
  },
  relations: [
    {
      table: 'company_investors',
      owner: 'company_id',
      texts: ['investor_name'],
      reference: 'investor_id',
      resolve: 'resolve_investor(t.investor_name)',
      rows: (line) => line.investors.map((investor_name) => ({ investor_name })),
    },
  ],
});
