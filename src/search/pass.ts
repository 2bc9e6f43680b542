/**
 * How much of a query an answer must fulfil. `strict` trusts the spelling and wants every word; `partial` is content
 * with enough of them; `tolerant` allows for misspellings, too.
 */
export type Pass = InitialPass | 'tolerant';
/** The passes that trust the spelling: one of them is asked first. */
export type InitialPass = 'strict' | 'partial';
