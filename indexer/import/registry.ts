import type { KindName } from '../../src/kinds/kind.ts';
import type { KindImport } from './kind-import.ts';
import { companiesImport } from './lines-companies.ts';
import { eventsImport } from './lines-events.ts';
import { investorsImport } from './lines-investors.ts';
import { peopleImport } from './lines-people.ts';

export const kindImports: Readonly<Record<KindName, KindImport>> = {
  companies: companiesImport,
  investors: investorsImport,
  events: eventsImport,
  people: peopleImport,
};

/** What is referred to comes before what refers to it, so that most references are found at once. */
export const importOrder = ['companies', 'investors', 'events', 'people'] as const satisfies readonly KindName[];
