import { z } from 'zod';
import type { Clause } from '../ranking/clauses.ts';
import type { Pass } from '../ranking/ranked-query.ts';
import { wordsMayBeMisspelt } from '../ranking/tiers.ts';
import { labelField } from '../ranking/word-fields.ts';
import type { AnalyzedText } from '../vocabulary/analyze-text.ts';

const fragmentsMax = 3;
/** The length of a fragment in characters. Whole sentences are kept if they fit. */
const fragmentLength = 160;
/** Maximum length that is searched for highlights, which limits the time. */
const charactersMax = 100_000;

/** The fields that may be highlighted, by their names in an item's `highlight`. */
const highlighted = {
  names: 'search.names',
  overview: 'overview',
  short: 'search.short',
  tags: 'search.tags',
  relations: 'search.relations',
  place: 'search.place',
} as const;
type HighlightName = keyof typeof highlighted;
export const highlightNames = Object.keys(highlighted) as readonly HighlightName[];

/** Fragments with matches in `<em>`. Everything else is escaped for HTML. */
export type Highlight = { readonly [Name in HighlightName]?: readonly string[] };

/** Returns the part of a body that requests fragments. The ranking query itself would highlight too few words. */
export function highlightClause({ text, withConcepts }: AnalyzedText, pass: Pass): Clause {
  return {
    encoder: 'html',
    pre_tags: ['<em>'],
    post_tags: ['</em>'],
    number_of_fragments: fragmentsMax,
    fragment_size: fragmentLength,
    max_analyzed_offset: charactersMax,
    fields: Object.fromEntries(
      Object.values(highlighted).map((field) => {
        if (field === highlighted.names) return [field, { highlight_query: inNames(text, pass) }];
        const match = (name: string) => ({ highlight_query: { match: { [name]: { query: withConcepts } } } });
        // The words of all labels are searched in one field.
        const isLabel = field === highlighted.tags || field === highlighted.place;
        return [field, isLabel ? { require_field_match: false, ...match(labelField) } : match(field)];
      }),
    ),
  };
}

function inNames(text: string, pass: Pass): Clause {
  const field = highlighted.names;
  const asWritten = [{ match: { [field]: { query: text } } }, { match_bool_prefix: { [field]: { query: text } } }];
  const misspelt = { match: { [field]: { query: text, fuzziness: 'AUTO:3,6', max_expansions: 50 } } };
  return { bool: { should: pass === 'tolerant' && wordsMayBeMisspelt(text) ? [...asWritten, misspelt] : asWritten } };
}

export const rawHighlight = z.record(z.string(), z.array(z.string()));

export function toHighlight(raw: z.infer<typeof rawHighlight> | undefined): Highlight {
  return Object.fromEntries(
    highlightNames.flatMap((name) => {
      const fragments = raw?.[highlighted[name]];
      return fragments === undefined ? [] : [[name, fragments]];
    }),
  );
}
