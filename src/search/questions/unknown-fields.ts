import { kindWordAt } from './kind-words.ts';
import { phrase, type Sentence } from './sentence.ts';

// Fields that people ask for and no entity has.

const ofToken = phrase(
  "((that|which|who) )?((with|having|have|has|((have|has) )?(issued|launched))( (an?|its|their|own|native))+|(without|(with|have|has) no|no|((do(es)?|did|has|have)( not|n['’]?t)|never)( yet)? (have|had|issued?|launch(ed)?))( (an?|its|their|any|own|native))*) tokens?( (yet|of (its|their) own))*(?= (in|on|at|and|but|that|which|founded|based)( |$)|$)",
);

/** The data doesn't know which "companies without a token" have none. */
export function ignoreTokens(sentence: Sentence): void {
  const isNoun = (_: unknown, at: number) =>
    kindWordAt(sentence, at) !== null || sentence.isPluralTopic(sentence.key(at));
  for (const at of sentence.words.keys()) {
    const end = sentence.after(at, ofToken);
    if (end !== null && sentence.words.slice(0, at).some(isNoun)) sentence.take(at, end, 'ignored');
  }
}

/** Fields that people ask for and no entity has. */
const unknownField = phrase(
  '(ticket|admission) (prices?|costs?)( how much)?|how much (is|are|do|does)( an?| the)? tickets?( cost)?|(phone|telephone|mobile|whatsapp) numbers?|e ?mail address(es)?|(home|postal) address(es)?|contact (details|email|info(rmation)?)|e ?mail of(?= )',
);
const valueField =
  '(market cap(itali[sz]ation)?|valuation|(annual )?(revenues?|turnover|profits?)|net worth|salary|tvl|(stock|share|token) price|age|birthday|date of birth)';
const askedValue = phrase(
  `((what|how much|how high) (is|are|was|were) )?(the )?${valueField} of(?= )|how old (is|are)(?= )`,
);
const ownedValue = phrase(valueField);

/** Takes out a field that no entity has: "market cap of aave", "how old is vitalik", "aave's valuation". */
export function ignoreValue(sentence: Sentence): void {
  const { words, after } = sentence;
  const end = after(0, askedValue);
  if (end !== null) sentence.take(0, end, 'ignored');
  for (const [at, { isPossessive }] of words.entries())
    if (isPossessive && after(at + 1, ownedValue) === words.length) sentence.take(at + 1, words.length, 'ignored');
}

/** Marks a field that no entity has, at the beginning or end of a text. It is searched for, as it may be a topic. */
export function noteUnknownField(sentence: Sentence): void {
  for (const at of sentence.words.keys()) {
    const end = sentence.after(at, unknownField);
    if (end !== null && (at === 0 || end === sentence.words.length)) sentence.note(at, end, 'ignored');
  }
}
