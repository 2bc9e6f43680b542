import { z } from 'zod';
import { indexedText, list, optional, prose, text } from './fields.ts';
import { defineKindImport } from './kind-import.ts';

export const peopleImport = defineKindImport({
  kind: 'people',
  columns: { headline: optional(prose), proposals: list(text), tags: list(text), aliases: list(text) },
  others: {
    roles: list(z.strictObject({ title: optional(text), organisation: optional(indexedText), detail: optional(text) })),
    companies: list(indexedText),
    events: list(indexedText),
  },
  relations: [
    {
      table: 'roles',
      owner: 'person_id',
      texts: ['title', 'organisation', 'detail'],
      reference: 'company_id',
      referenceTexts: ['organisation'],
      resolve: 'resolve_company(null, t.organisation)',
      rows: (line) => line.roles,
    },
    {
      table: 'person_companies',
      owner: 'person_id',
      texts: ['company_slug'],
      reference: 'company_id',
      resolve: '(select k.id from companies k where k.slug = t.company_slug)',
      rows: (line) => line.companies.map((company_slug) => ({ company_slug })),
    },
    {
      table: 'event_people',
      owner: 'person_id',
      texts: ['event_slug'],
      reference: 'event_id',
      resolve: '(select e.id from events e where e.slug = t.event_slug)',
      rows: (line) => line.events.map((event_slug) => ({ event_slug })),
    },
  ],
});
