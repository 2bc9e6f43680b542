import { anyOf, type Clause, inOrder, inTexts } from './clauses.ts';

// Fields in which words are searched. A query over several fields is split into words, and each may be in another
// field.
const names = 'search.names.english';
const texts = ['search.relations', 'search.short', 'overview'];
export const labelField = 'search.labels';
const telling = [names, ...texts, labelField];
const kindWords = 'search.kind_words';

/** Returns the fields and, if the text may contain a year, the field of years. */
export function withYear(fields: readonly string[], text: string): readonly string[] {
  return /\p{N}/u.test(text) ? [...fields, 'search.year'] : fields;
}

/** Matches if all the words occur in an entity's names, texts, tags or words for its kind. */
export function allOccur(text: string): Clause {
  return across(withYear([...telling, kindWords], text), text, { operator: 'and' });
}

/** Matches if all the words occur in an entity's names, short texts or tags, or anywhere if it has no tags. */
export function allNamed(text: string): Clause {
  const isTagged = { exists: { field: 'tags' } };
  const named = across([names, 'search.short', labelField, kindWords], text, { operator: 'and' });
  return anyOf([named, { bool: { must_not: [isTagged], filter: [allOccur(text)] } }]);
}

/** Two words must both match. One of three or four may be missing, and half of more. */
export const enoughWords = '2<-1 4<50%';

/** Matches if enough of the words occur. Words for the kind do not count: every entity has two of them. */
export function enoughOccur(text: string): Clause {
  return across(withYear(telling, text), text, { operator: 'or', minimum_should_match: enoughWords });
}

/** Scores concepts by their rarity. Tokens are stemmed, as in documents. */
export function conceptsOccur(tokens: string, boost: number, enough = '1'): Clause {
  return across(telling, tokens, { operator: 'or', analyzer: 'stems', minimum_should_match: enough, boost });
}

/** Matches tokens as tags, or side by side in a text, but not after "no": "no KYC". Names aren't topics. */
export function isAbout(text: string): Clause {
  const said = { query: text, analyzer: 'stems', ordered: true, max_gaps: 0 };
  const not_contained_by = inOrder([denial, { match: said }]);
  const isTag = across([labelField], text, { operator: 'and', analyzer: 'stems' });
  return anyOf([isTag, ...inTexts({ match: { ...said, filter: { not_contained_by } } })]);
}

const denial = {
  any_of: {
    intervals: ['no', 'non', 'not', 'without', 'zero'].map((query) => ({ match: { query, analyzer: 'stems' } })),
  },
};

/** Matches if a text contains the word with one letter changed, and not the word itself. */
export function nearlyOccurs(word: string, fields: readonly string[] = texts): Clause {
  const query = { query: word, fields };
  return {
    bool: {
      must: [{ multi_match: { ...query, fuzziness: '1', prefix_length: 1, max_expansions: 50 } }],
      must_not: [{ multi_match: query }],
    },
  };
}

function across(fields: readonly string[], text: string, options: Clause): Clause {
  return { multi_match: { query: text, type: 'cross_fields', fields, ...options } };
}
