import { z } from 'zod';
import { entityId, type KindName, kindNames, mapKinds } from '../../kinds/kind.ts';
import { kinds } from '../../kinds/registry.ts';
import { count } from '../../lib/wire-schema.ts';
import { facetValuesMax } from '../../search/options/facets.ts';
import { facetNames, facets, filterTexts } from '../../search/options/filters.ts';
import { highlightNames } from '../../search/options/highlight.ts';
import { edition, seriesKinds } from '../../search/options/series.ts';
import { amountKinds, partNames, relationRoles } from '../../search/questions/question.ts';
import { relaxableConditions } from '../../search/questions/relax.ts';
import { components, entityKind, envelopeOf, someOf } from '../openapi/components.ts';
import { jsonContent } from '../openapi/responses.ts';
import { type ParameterTexts, queryParameters } from '../openapi/to-schema.ts';
import { limitMax, searchParameters } from '../request/search-parameters.ts';

/** Descriptions of the parameters in the OpenAPI document. */
const searchTexts: ParameterTexts<typeof searchParameters> = {
  type: { text: 'The kind of entities, or all kinds in one list.', example: 'companies' },
  query: {
    text: 'Text to search for, or a question in plain English; nothing in it is an operator. Empty, blank or *: all entities, the most prominent first. May be called q.',
    example: 'plover spire',
  },
  page: {
    text: 'Page times limit may be at most 10,000; for results beyond, follow data.nextCursor. Not together with cursor. Default 1.',
  },
  limit: { text: 'Results per page.', example: 5 },
  cursor: { text: 'data.nextCursor of an earlier answer, with all other parameters unchanged and without page.' },
  ...filterTexts,
  sort: { text: 'The order; "-" before it reverses. Default relevance.' },
  facets: { text: 'Fields to count over all results, as data.facets: the 20 most frequent values of each.' },
  highlight: { text: 'Adds matched fragments to items.' },
  literal: { text: 'Searches for words like "startups" or "in Berlin" as words only, without understanding them.' },
  collapse: {
    text: 'With series, events of a page that are editions of one series are one item: the first of them, the others as its editions. A page may have fewer items than limit.',
  },
  fields: { text: 'Fields of the items, instead of the usual ones; id and entity_type are always included.' },
};

const highlight = someOf(highlightNames, z.array(z.string()))
  .register(components, { id: 'Highlight' })
  .describe('Matched fragments by field, the matches in <em>, all else escaped for HTML');

edition.register(components, { id: 'Edition' });
const editions = z
  .array(edition)
  .max(limitMax - 1)
  .describe('With collapse=series: the other events of its series on this page, the newest first');

function itemOf(kind: KindName) {
  const { record, itemFields, singular } = kinds[kind];
  return record
    .partial()
    .extend({ entity_type: z.literal(kind), id: entityId, highlight: highlight.optional() })
    .extend(seriesKinds.includes(kind) ? { editions: editions.optional() } : {})
    .describe(
      `An item of the ${kind}. Without "fields" it has ${itemFields.join(', ')}; a field without a value is null.`,
    )
    .register(components, { id: `${singular}Item` });
}

const [firstKind, ...otherKinds] = kindNames;
const item = z
  .discriminatedUnion('entity_type', [itemOf(firstKind), ...otherKinds.map(itemOf)])
  .meta({
    discriminator: {
      propertyName: 'entity_type',
      mapping: mapKinds((kind) => `#/components/schemas/${kinds[kind].singular}Item`),
    },
  })
  .register(components, { id: 'Item' });

const facetValue = z.strictObject({ value: z.string(), count }).register(components, { id: 'FacetValue' });
const facetValues = {
  word: facetValue,
  kind: facetValue,
  boolean: z.strictObject({ value: z.boolean(), count }).register(components, { id: 'BooleanFacetValue' }),
};
const facetAnswers = Object.fromEntries(
  facetNames.map((name) => [name, z.array(facetValues[facets[name].type]).max(facetValuesMax).optional()]),
);

const names = z.array(z.string());
const date = z.iso.date().nullable();
const place = z
  .strictObject({ text: z.string(), countries: names, cities: names })
  .register(components, { id: 'UnderstoodPlace' });
const part = z
  .strictObject({
    as: z.enum(partNames),
    text: z.string(),
    met: z.boolean().describe('True if every result of the page meets it'),
  })
  .register(components, { id: 'UnderstoodPart' });

const chains = z
  .strictObject({ text: z.string(), names: names.describe('In the spelling of the data') })
  .register(components, { id: 'UnderstoodChains' });

const relation = z
  .strictObject({
    role: z.enum(relationRoles),
    of: z.string().describe('The other entity; empty for any: "founded a company"'),
    or: names.describe('Alternatives to it'),
  })
  .register(components, { id: 'UnderstoodRelation' });

const understood = z
  .strictObject({
    words: z.string().describe('The remaining words to search for; empty for none'),
    kinds: z.array(entityKind).describe('Requested kinds: "startups", "who", "hackathon"'),
    relation: relation
      .nullable()
      .describe('"investors of arbitrum": with people and investors, `of` is the company or event; else the person'),
    like: z.string().nullable().describe('"alternatives to ledger": the entity whose neighbours are requested'),
    also: z.array(relation).describe('"who backed both aave and uniswap": further relations that hold'),
    without: names.describe('"other than uniswap", "not in berlin": excluded names, topics and conditions'),
    places: z.array(place).describe('All hold; the countries and cities of one are alternatives'),
    time: z
      .strictObject({
        about: z.enum(['starts', 'founded']),
        from: date,
        until: date,
        yearly: z.boolean().describe('"in september": of every year'),
        text: z.string(),
      })
      .nullable()
      .describe('When events start or companies were founded: from this day on, and before that day'),
    online: z.boolean().nullable(),
    chains: z.array(chains).describe('All hold; the names of one are alternatives'),
    amounts: z
      .array(
        z.strictObject({
          about: z.enum(Object.keys(amountKinds) as (keyof typeof amountKinds)[]),
          of: z.string().nullable().describe('Series of the counted proposals, such as "eip"; null for all'),
          from: z.number().nullable(),
          until: z.number().nullable(),
          text: z.string(),
        }),
      )
      .describe('At least `from`, and less than `until`. Funding is in US dollars'),
    order: z.enum(['newest', 'oldest', 'soonest']).nullable(),
    parts: z.array(part).describe('The understood parts of the query, from left to right'),
    relaxed: z
      .array(z.enum(relaxableConditions))
      .describe('Conditions that were left out, because nothing meets all of them'),
    note: z.string().nullable().describe('Describes them in a sentence'),
  })
  .register(components, { id: 'Understood' });

const searchAnswer = envelopeOf(
  z.strictObject({
    results: z.array(item),
    totalResults: count.describe('Exact'),
    totalPages: count,
    page: z.int().positive(),
    limit: z.int().positive(),
    matchedBy: z
      .enum(['strict', 'tolerant', 'semantic'])
      .describe(
        '"tolerant": similar spellings were allowed; "semantic": guesses, the nearest in meaning or in what they share',
      ),
    understood: understood.nullable().describe('Null if the query is only searched for as words, or is a name'),
    nextCursor: z
      .string()
      .nullable()
      .describe('Value of the parameter "cursor" for the next page; null on the last page'),
    facets: z.strictObject(facetAnswers).optional(),
  }),
).register(components, { id: 'SearchAnswer' });

const exampleCompany = {
  id: 1000806,
  name: 'Plover Spire',
  slug: 'plover-spire',
  logo: 'https://logo.example/plover-spire.png',
  overview: 'Plover Spire matches spot orders on-chain for market makers.',
  total_employees: 9363,
  year_founded: 2020,
  website: 'https://plover-spire.example',
  tags: ['exchange'],
  location_json: { city: 'Sydney', country: 'Australia' },
} as const;

const searchExample = {
  success: true,
  data: {
    results: [{ entity_type: 'companies', ...exampleCompany }],
    totalResults: 1,
    totalPages: 1,
    page: 1,
    limit: 5,
    matchedBy: 'strict',
    understood: null,
    nextCursor: null,
  },
  message: 'Found 1 result, page 1 of 1.',
  meta: { requestId: '9f1a87a3-0e82-41dd-a6cc-96b3b6992dc2', timestamp: '2026-01-31T12:00:00.000Z', version: 'v1' },
};

/** The MCP tool has the same parameters. */
export function searchOperation() {
  return {
    operationId: 'search',
    tag: 'Search',
    summary: 'Search',
    description:
      'Ranked, the best match first. Filters are optional and must all hold; a filter that none of the requested kinds has is an error. Costs one call.',
    parameters: queryParameters(searchParameters, searchTexts),
    content: jsonContent(searchAnswer, { found: searchExample }),
    headers: ['X-Index-Lag'],
  } as const;
}
