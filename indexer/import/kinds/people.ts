import { z } from 'zod';
import { commonColumns, commonParts, indexedText, list, optional, prose, text } from './fields.ts';
import { defineKindImport } from './kind-import.ts';

/** One line of people.ndjson. */
const personLine = z.strictObject({
  ...commonParts,
  headline: optional(prose),
  roles: list(z.strictObject({ title: optional(text), organisation: optional(indexedText), detail: optional(text) })),
  companies: list(indexedText),
  events: list(indexedText),
  proposals: list(text),
  tags: list(text),
  aliases: list(text),
});

export const peopleImport = defineKindImport({
  kind: 'people',
  schema: personLine,
  columns: [
    'id',
    'name',
    'slug',
    'logo',
    'headline',
    'overview',
    'proposals',
    'tags',
    'aliases',
    'city',
    'country',
    'links',
    'sources',
    'synthetic',
  ],
  row: (line) => ({
    ...commonColumns(line),
    headline: line.headline,
    proposals: line.proposals,
    tags: line.tags,
    aliases: line.aliases,
  }),
  relations: [
    {
      table: 'roles',
      owner: 'person_id',
      texts: ['title', 'organisation', 'detail'],
      reference: 'company_id',
      referenceTexts: ['organisation'],
      resolve: 'resolve_company(null, t.organisation)',
      rows: (line) => line.roles.map((role) => [role.title, role.organisation, role.detail]),
    },
    {
      table: 'person_companies',
      owner: 'person_id',
      texts: ['company_slug'],
      reference: 'company_id',
      referenceTexts: ['company_slug'],
      resolve: '(select k.id from companies k where k.slug = t.company_slug)',
      rows: (line) => line.companies.map((slug) => [slug]),
    },
    {
      table: 'event_people',
      owner: 'person_id',
      texts: ['event_slug'],
      reference: 'event_id',
      referenceTexts: ['event_slug'],
      resolve: '(select e.id from events e where e.slug = t.event_slug)',
      rows: (line) => line.events.map((slug) => [slug]),
    },
  ],
});
