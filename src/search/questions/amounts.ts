import type { KindName } from '../../kinds/kind.ts';
import type { AmountRange } from './question.ts';
import { keysFrom, phrase, type Sentence } from './sentence.ts';

const least = 'more than|over|above|at least|exceeding|upwards of';
const most = 'fewer than|less than|under|below|at most|up to|no more than';
const number =
  '[$€£]?\\d[\\d.,]*(?:k|m|mn|b|bn)?\\+?(?: (?:thousand|million|billion))?(?: (?:usd|dollars|euros?))?(?: or more)?';
const compared = `(?:(${least}|${most}|between) )?(${number})(?: and (${number}))?`;
const whose = '(?:(?:that|which|who) )?(?:(?:have|has|had) )?';

/** Wordings of amounts that companies have. Each pattern has the comparison and one or two numbers as groups. */
const amounts: readonly (readonly [AmountRange['about'], RegExp])[] = [
  [
    'employees',
    phrase(`${whose}(?:with |having |employing |employ |of )?${compared} (?:employees|people|staff|workers)`),
  ],
  [
    'funding',
    phrase(`${whose}(?:raised|raising) (?:a total of )?${compared}(?: (?:in|of) (?:total )?(?:funding|capital))?`),
  ],
  ['funding', phrase(`(?:with|having) (?:total )?funding (?:of )?${compared}`)],
  ['funding', phrase(`(?:with|having) ${compared} (?:in|of) (?:total )?(?:funding|capital)`)],
];
/** An amount of anything else: "with more than 1000 users". */
const other = phrase(`${whose}(?:with|having|have|has|of) (?:${least}|${most}) ${number}(?: [a-z]+)?`);

/**
 * Reads amounts that the data has, and takes them out of the sentence. Other amounts are taken out as well, because no
 * words in texts would answer them.
 */
export function readAmounts(sentence: Sentence, kinds: readonly KindName[]): AmountRange[] {
  const found: AmountRange[] = [];
  for (const at of sentence.words.keys()) {
    const keys = keysFrom(sentence, at);
    if (!/\d/.test(keys)) continue;
    const end = (text: string): number => at + text.split(' ').length;
    const [read] = amounts.flatMap(([about, pattern]) => {
      const match = kinds.includes('events') ? null : pattern.exec(keys);
      return match === null ? [] : [{ about, match }];
    });
    if (read !== undefined) {
      const [text, comparison = '', first = '', second] = read.match;
      sentence.take(at, end(text), 'amount');
      found.push({ about: read.about, ...rangeOf(read.about, comparison, first, second), text });
    } else {
      const text = other.exec(keys)?.[0];
      if (text !== undefined) sentence.take(at, end(text), 'ignored');
    }
  }
  return found;
}

const units: readonly (readonly [RegExp, number])[] = [
  [/(k| thousand)\b/, 1_000],
  [/(m|mn| million)\b/, 1_000_000],
  [/(b|bn| billion)\b/, 1_000_000_000],
];

function amountOf(text: string): number {
  const value = Number(/\d[\d.,]*/.exec(text)?.[0].replace(/,/g, '').replace(/\.$/, ''));
  return value * (units.find(([unit]) => unit.test(text.replace(/^[^\d]*[\d.,]+/, '')))?.[1] ?? 1);
}

/** Smallest difference of two amounts. */
const steps: Readonly<Record<AmountRange['about'], number>> = { employees: 1, funding: 0.01 };

function rangeOf(
  about: AmountRange['about'],
  comparison: string,
  first: string,
  second: string | undefined,
): Pick<AmountRange, 'from' | 'until'> {
  const [value, step] = [amountOf(first), steps[about]];
  if (second !== undefined) return { from: value, until: amountOf(second) + step };
  if (/^(more|over|above|exceeding|upwards)/.test(comparison)) return { from: value + step, until: null };
  if (comparison === 'at least' || /\+|or more$/.test(first)) return { from: value, until: null };
  if (/^(fewer|less|under|below)/.test(comparison)) return { from: null, until: value };
  if (comparison !== '') return { from: null, until: value + step };
  return { from: value, until: value + step };
}
