import type { KindName } from '../../../src/kinds/kind.ts';
import { companiesImport } from './companies.ts';
import { eventsImport } from './events.ts';
import { investorsImport } from './investors.ts';
import type { KindImport } from './kind-import.ts';
import { peopleImport } from './people.ts';

export const kindImports: Readonly<Record<KindName, KindImport>> = {
  companies: companiesImport,
  investors: investorsImport,
  events: eventsImport,
  people: peopleImport,
};
