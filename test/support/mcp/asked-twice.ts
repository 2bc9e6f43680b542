import fc from 'fast-check';
import { kindNames } from '../../../src/kinds/kind.ts';
import { kinds } from '../../../src/kinds/registry.ts';
import type { Json } from '../../../src/lib/wire-schema.ts';
import { bulkKinds } from '../../../src/records/bulk-request.ts';

// Requests to a tool and to its HTTP route, and the parts of their answers that must be equal.

/** A call of a tool, and the same request over HTTP. */
export interface Asked {
  readonly tool: string;
  readonly args: Readonly<Record<string, unknown>>;
  readonly path: string;
  readonly body?: object;
}

const kind = fc.constantFrom(...kindNames);
const text = fc.constantFrom('', 'plover', 'Plvoer Spire', 'exchange', 'startups in Sydney', 'a, b\\', 'x'.repeat(300));
const slug = fc.constantFrom('plover-spire', 'nobody', 'a b');
// The arguments, mostly from the sample.
const id = fc.oneof({ arbitrary: fc.integer({ min: 1_000_000, max: 1_000_900 }), weight: 5 }, fc.constantFrom(0, 7));
const identifier = fc.oneof(id, slug);
const limit = fc.oneof({ arbitrary: fc.constantFrom(1, 2, 5), weight: 5 }, fc.constantFrom(0, 1_000));

/** Arguments that are invalid, or that only some kinds have. */
const rareOptions = fc.constantFrom(
  { founded_from: 2015 },
  { online: true },
  { sort: 'nothing' },
  { cursor: 'nonsense' },
  { page: 9_999 },
  { collapse: 'series' },
  { not_country: ['Australia'] },
);
const search = fc
  .record(
    {
      kind: fc.constantFrom(...kindNames, 'all', 'none'),
      query: text,
      limit,
      page: fc.constantFrom(1, 2),
      country: fc.subarray(['Australia', 'Japan', 'No, such'], { minLength: 1 }),
      sort: fc.constantFrom('name', '-newest'),
      facets: fc.subarray(['country', 'city'], { minLength: 1 }),
      literal: fc.boolean(),
    },
    { requiredKeys: ['kind', 'limit'] },
  )
  .chain((args) =>
    fc.oneof(
      { arbitrary: fc.constant(args), weight: 4 },
      rareOptions.map((rare) => ({ ...args, ...rare })),
    ),
  )
  .map((args): Asked => {
    const { kind: type, ...rest } = args;
    return { tool: 'search_entities', args, path: `/api/v1/search?${queryOf({ type, ...rest })}` };
  });
const get = fc.record({ kind, identifier }).map(
  (args): Asked => ({
    tool: 'get_entity',
    args,
    path: `/api/v1/${args.kind}/${encodeURIComponent(args.identifier)}`,
  }),
);
const similar = fc.record({ kind, identifier, limit }).map(
  (args): Asked => ({
    tool: 'find_similar',
    args,
    path: `/api/v1/${args.kind}/${encodeURIComponent(args.identifier)}/similar?limit=${args.limit}`,
  }),
);
const suggest = fc.record({ query: text, kind, limit }).map(
  (args): Asked => ({
    tool: 'suggest_names',
    args,
    path: `/api/v1/suggest?${queryOf({ q: args.query, type: args.kind, limit: args.limit })}`,
  }),
);
const lookup = fc
  .record({
    operation: fc.constantFrom('get', 'exists'),
    kind: fc.constantFrom(...bulkKinds),
    identifiers: fc.oneof(fc.array(id, { maxLength: 25 }), fc.array(slug, { maxLength: 12 }), fc.array(identifier)),
  })
  .map((args): Asked => {
    const { kind: entity_type, ...rest } = args;
    // The route returns whole records by default.
    const fields = args.operation === 'get' ? { fields: kinds[entity_type].itemFields } : {};
    return { tool: 'lookup_entities', args, path: '/api/v1/bulk', body: { entity_type, ...fields, ...rest } };
  });
/** Arguments from the fictional sample, for every tool; some are wrong. */
export const askedTwice = fc.oneof(search, get, similar, suggest, lookup);

/** Writes lists as in the HTTP routes. */
function queryOf(given: Readonly<Record<string, unknown>>): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(given)) {
    if (!Array.isArray(value)) query.append(name, String(value));
    else for (const item of value) query.append(name, String(item).replaceAll(',', '\\,'));
  }
  return query.toString();
}

/** The parts that both answers have. */
export function foundIn(tool: string, data: Json): unknown {
  if (tool === 'get_entity') return data;
  if (tool === 'suggest_names') return data.suggestions;
  if (tool === 'lookup_entities')
    return Array.isArray(data.results) ? data.results : Object.values(data.results ?? {})[0];
  const { results, totalResults, matchedBy, facets, understood, of } = data;
  return { results, totalResults, matchedBy, facets, understood, of };
}

/** Removes nulls, empty values and pictures. */
export function plain(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(plain);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).map(([name, inner]) => [name, plain(inner)] as const);
  const isSaid = (inner: unknown) => ![undefined, null, '', '[]', '{}'].includes(said(inner));
  return Object.fromEntries(entries.filter(([name, inner]) => name !== 'logo' && isSaid(inner)));
}

function said(value: unknown): string | null | undefined {
  if (value === null || value === undefined) return null;
  return typeof value === 'string' ? value : JSON.stringify(value);
}
