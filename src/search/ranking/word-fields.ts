import type { Clause } from './clauses.ts';

// Fields in which words are looked up. A query over several fields is split into its words: each may be in another field.
const names = 'search.names.english';
const texts = ['search.relations', 'search.short', 'overview'];
/** Tags, place and year of an entity. */
export const labelField = 'search.labels';
const telling = [names, ...texts, labelField];
const kindWords = 'search.kind_words';
const filed = [labelField, kindWords];
const year = 'search.year';

/** The fields and, where the text may hold one, that of years with its boost. */
export function withYear(fields: readonly string[], text: string, boost = ''): readonly string[] {
  return /\p{N}/u.test(text) ? [...fields, `${year}${boost}`] : fields;
}

/** Whether all the words occur in what is known about an entity. */
export function allOccur(text: string): Clause {
  return across(withYear([...telling, kindWords], text), text, { operator: 'and' });
}

/** Whether enough of the words occur, not counting those that say only the kind. */
export function enoughOccur(text: string, enough: string): Clause {
  return across(withYear(telling, text), text, { operator: 'or', minimum_should_match: enough });
}

/** The rarer the concepts that occur, the better. Their tokens are compared as documents have them: stemmed. */
export function conceptsOccur(tokens: string, boost: number): Clause {
  return across(telling, tokens, { operator: 'or', analyzer: 'stems', boost });
}

/** Whether all the words are tags, place, year or words for the kind. */
export function allFiled(text: string): Clause {
  return across(withYear(filed, text), text, { operator: 'and' });
}

/**
 * How rare the words are among all texts, of an entity that has them in its name: the others count for how many have
 * them, and add nothing.
 */
export function rarityOf(text: string, boost: number): Clause {
  return across([names, ...[...texts, labelField].map((field) => `${field}^0`)], text, { operator: 'and', boost });
}

/** Whether a word occurs in a text that differs by one letter, where it does not occur as it is. */
export function nearlyOccurs(word: string): Clause {
  return nearly(texts, word);
}

/** The same in a name. */
export function nearlyInName(word: string): Clause {
  return nearly(['search.names'], word);
}

function nearly(fields: readonly string[], word: string): Clause {
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
