import type { KindName } from '../../kinds/kind.ts';
import type { AmountRange } from './question.ts';
import { keysFrom, phrase, type Sentence } from './sentence.ts';
import { countWords } from './times/calendar.ts';

const least =
  '(?:more|greater|higher|larger) than|(?:no|not) (?:less|fewer) than|at least|a minimum of|in excess of|north of|upwards of|exceeding|over|above';
const most = '(?:no|not) more than|(?:fewer|less|lower|smaller) than|at most|a maximum of|up to|under|below';
const digits = '[$€£]?\\d[\\d.,]*(?:k|m|mn|b|bn)?\\+?';
const unitWords = ['dozen', 'hundred', 'thousand', 'million', 'billion'];
const unit = `(?:${unitWords.join('|')})`;
const numberWords: ReadonlySet<string> = new Set([...countWords, ...unitWords]);
const number = `(?:(?:${digits}|${countWords.join('|')})(?: ${unit})?|an? ${unit})(?: (?:us )?(?:usd|dollars|euros?))?(?: or more)?`;
const compared = `(?:(${least}|${most}|between) )?(${number})(?: and (${number}))?`;
const whose = '(?:(?:that|which|who) )?(?:(?:have|has|had) )?';
const money = '(?: (?:in|of) (?:total )?(?:funding|capital))';

/** Wordings of amounts that companies have. Each pattern has the comparison and one or two numbers as groups. */
const amounts: readonly (readonly [AmountRange['about'], RegExp])[] = [
  [
    'employees',
    phrase(`${whose}(?:with |having |employing |employ |of )?${compared} (?:employees|people|staff|workers)`),
  ],
  ['employees', phrase(`${whose}(?:with |having )?(?:an? )?(?:headcount|workforce|staff|team) (?:of )?${compared}`)],
  ['funding', phrase(`${whose}(?:raised|raising) (?:a total of )?${compared}${money}?`)],
  ['funding', phrase(`(?:with|having) (?:total )?funding (?:of )?${compared}`)],
  ['funding', phrase(`(?:with|having) ${compared}${money}`)],
];
/** An amount of anything else: "with more than 1000 users", "valued at over a billion". */
const other = phrase(
  `(?:${whose}(?:with|having|of) (?:an? )?(?:[a-z]+ (?:of )?)?|(?:valued at|worth) |${whose})(?!(?:over|up to) (?:19|20)\\d\\d)(?:${least}|${most}) ${number}(?! (?:day|week|month|year)s? (?:old|ago))(?: portfolio)?(?: (?!and |or |in |at |on |from |with |that |who |for )[a-z]+)?`,
);

/**
 * Reads amounts that the data has, and takes them out of the sentence. Other amounts are taken out as well, because no
 * words in texts would answer them.
 */
export function readAmounts(sentence: Sentence, kinds: readonly KindName[]): AmountRange[] {
  // Most texts have no number, and every pattern needs one.
  if (!sentence.words.some(({ key }) => /\d/.test(key) || numberWords.has(key))) return [];
  const found: AmountRange[] = [];
  for (const at of sentence.words.keys()) {
    const keys = keysFrom(sentence, at);
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
  [/ dozen\b/, 12],
  [/ hundred\b/, 100],
  [/(\dk| thousand)\b/, 1_000],
  [/(\dmn?| million)\b/, 1_000_000],
  [/(\dbn?| billion)\b/, 1_000_000_000],
];
const unitOf = (text: string): number | undefined => units.find(([pattern]) => pattern.test(text))?.[1];

/** @param otherwise the unit if the text has none: "between 10 and 50 million" */
function amountOf(text: string, otherwise = 1): number {
  const written = /\d[\d.,]*/.exec(text)?.[0].replace(/,/g, '').replace(/\.$/, '');
  const value = written === undefined ? Math.max(1, countWords.indexOf(text.split(' ')[0] ?? '')) : Number(written);
  return value * (unitOf(text) ?? otherwise);
}

const leastCue = phrase(least);

/** Smallest difference of two amounts. */
const steps: Readonly<Record<AmountRange['about'], number>> = { employees: 1, funding: 0.01 };

function rangeOf(
  about: AmountRange['about'],
  comparison: string,
  first: string,
  second: string | undefined,
): Pick<AmountRange, 'from' | 'until'> {
  const [value, step] = [amountOf(first, second === undefined ? 1 : unitOf(second)), steps[about]];
  if (second !== undefined) return { from: value, until: amountOf(second) + step };
  const isExclusive = !/^(no|not|at|a|up) /.test(comparison);
  if (leastCue.test(comparison)) return { from: isExclusive ? value + step : value, until: null };
  if (/\+|or more$/.test(first)) return { from: value, until: null };
  if (comparison !== '' && isExclusive) return { from: null, until: value };
  if (comparison !== '') return { from: null, until: value + step };
  return { from: value, until: value + step };
}
