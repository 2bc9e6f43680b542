import type { CompanyRecord } from '../../kinds/companies.ts';
import { kinds } from '../../kinds/registry.ts';
import type { PaidKind } from './request.ts';

/** Fields of a paid search's items: the spec's thirteen of a company, the whole record of a person or an investor. */
export const paidItemFields: Readonly<Record<PaidKind, readonly string[]>> = {
  companies: [
    'id',
    'name',
    'slug',
    'logo',
    'tagline',
    'overview',
    'website',
    'company_stage',
    'funding_stage',
    'total_funding_usd',
    'founded_date',
    'employee_count',
    'is_verified',
  ] satisfies (keyof CompanyRecord)[],
  people: kinds.people.itemFields,
  investors: kinds.investors.itemFields,
};
