/**
 * How much of a question an answer must fulfil. `strict` trusts the spelling and wants every word; `partial` is content
 * with enough of them; `tolerant` allows for misspellings, too.
 */
export type Pass = 'strict' | 'partial' | 'tolerant';
