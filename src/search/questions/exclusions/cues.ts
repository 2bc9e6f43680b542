import { phrase, type Sentence } from '../sentence.ts';

export const except =
  'except( for)?|excl(uding)?|minus|with the exception of|(apart|aside) from|leaving (out|aside)|not (counting|including)|((but|and) )?none( of|(?= (in|at|from) ))';
/** Cues before what others are alternatives to. */
export const other = '(else|other|rather) than|instead of';
export const avoiding = '(that|which|who) (skip(s|ped)?|avoid(s|ed)?)';
/** Cues before a condition that no result may meet. */
export const conditionCue = phrase(
  `((but|and|yet) )?((that|which|who) )?((is|are|was|were|do|does|did|has|have|had|will|would|can)( not|n['’]?t| neither| never)( been)?|cannot|can['’]?t|won['’]?t|never)|${avoiding}|((but|and|yet) )?((is|are) (unrelated to|(missing|absent) from)|unrelated to|(has|have) nothing to do with|nothing (about|on|with))|((but|and|just|yet) )*not( (counting|including))?|((any|every|some)where|((in|on) )?(an?|any|some) (city|country|place|continent|state|year)) (but|except|other than)|elsewhere than|neither|nor|without( (ever|having|been))*|((but|and|with|yet) )?no(?! (later|earlier|sooner|less|fewer|more|longer) )|lacking|outside( of)?|(${except}|(but )?drop(ping)?|((but|and|yet) )?(skip(ping)?|leave out))( (whatever|whichever|((those|anyone|anybody|people) )?who(ever)?)( (was|were|is|are|has|have|also|ever|been))*)?|${other}`,
);

/** Longer texts are stories, not names. */
export const wordsWithNotMax = 6;

/** Returns the position after an article; the given one if there is none. */
export function articleEnd(sentence: Sentence, at: number): number {
  return sentence.is(at, /^(an?|the|its|their|any)$/) ? at + 1 : at;
}
