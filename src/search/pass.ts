/** The strict pass trusts the spelling; the tolerant one does not. */
export type Pass = 'strict' | 'tolerant';
