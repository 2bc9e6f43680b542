import type { z } from 'zod';
import { noneOf } from './closest-name.ts';
import { counted } from './counted.ts';

const articles: Readonly<Record<string, string>> = {
  array: 'a list',
  boolean: 'true or false',
  int: 'a whole number',
  number: 'a number',
  object: 'an object',
  record: 'an object',
  string: 'a text',
};

/** Describes problems in plain words, for zod's `parse` and `safeParse`. Messages of schemas take precedence. */
export const plainWords: z.core.$ZodErrorMap = (issue) => {
  switch (issue.code) {
    case 'invalid_type':
      if (issue.input === undefined) return 'is missing';
      return `must be ${articles[issue.expected] ?? issue.expected}`;
    case 'too_small':
      return `must ${boundOf(issue.origin, issue.inclusive === false ? 'more than' : 'at least', issue.minimum)}`;
    case 'too_big':
      return `must ${boundOf(issue.origin, issue.inclusive === false ? 'less than' : 'at most', issue.maximum)}`;
    case 'invalid_value':
      return noneOf(issue.input, issue.values.map(String));
    case 'invalid_format':
      return issue.format === 'url'
        ? 'must be an address such as https://example.com'
        : `must be a valid ${issue.format}`;
    default:
      return undefined;
  }
};

function boundOf(origin: string, word: string, bound: number | bigint): string {
  if (origin === 'string') return `have ${word} ${counted(Number(bound), 'character')}`;
  if (origin === 'array' || origin === 'set') return `have ${word} ${counted(Number(bound), 'entry', 'entries')}`;
  return `be ${word} ${bound}`;
}
