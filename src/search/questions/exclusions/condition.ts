import { askedKinds, kindWordAt } from '../kind-words.ts';
import { readOnline } from '../online.ts';
import { cueStart, readPlaces } from '../places/places.ts';
import { type Exclusion, nothingExcluded } from '../question.ts';
import { readRelation } from '../relations/relations.ts';
import { createSentence, phrase, type Sentence } from '../sentence.ts';
import { readTime } from '../times/times.ts';
import { readChains } from '../topics/chains.ts';
import { fold } from '../words.ts';
import { articleEnd, conditionCue, except, other } from './cues.ts';

/** Cues before an entity; before "in" and the like, a condition follows. */
const entityCue = phrase(`(${other}|${except})(?= (?!(in|at|from|by|on|those)( |$)))`);

/** Verbs between a cue and a place: "that don't operate in the US". */
const placeVerb = phrase(
  '(those|ones?|(any|every)(thing|one|body)|firms|companies|startups|projects|events|funds|investors)( (that|which) (are|were))?(?= (based|located|headquartered|in|from|out) )|(those|ones?)( (that|which) (are|were))?|(run|led|managed|domiciled)(?= (from|in|out) )|operat(e|ing)|tak(e|ing) place|held|(have|having) (an )?offices?|(do|doing) business|exist|live|found(ed)?|establish(ed)?|start(ed)?|created?|launch(ed)?',
);

type Reader = (tail: Sentence, now: Date) => Partial<Exclusion>;

const placesIn: Reader = (tail) => ({ places: readPlaces(tail) });
const relationIn: Reader = (tail) => {
  const relation = readRelation(tail)?.relations[0] ?? null;
  // "Without investors in berlin".
  return { relation: tail.gazetteer.find(fold(relation?.of ?? '')) === null ? relation : null };
};

const readers: readonly (readonly [lead: readonly string[], read: Reader])[] = [
  [[], placesIn],
  [['in'], placesIn],
  [[], (tail) => ({ online: readOnline(tail) })],
  [[], (tail) => ({ chains: readChains(tail, askedKinds(tail)) })],
  [[], (tail, now) => ({ time: readTime(tail, askedKinds(tail), now) })],
];

/** A way to read a condition: the words before it, the position of its own first word, and that of the whole. */
type Attempt = readonly [before: readonly string[], from: number, read: Reader, start: number];

const subjectWordsMax = 3;

/**
 * Reads the condition after a cue as if it were wanted: "companies [not] in the US", or with words before the cue: "who
 * invested in aave but [not] in uniswap".
 */
export function conditionAt(sentence: Sentence, at: number, now: Date): Exclusion | null {
  const cueEnd = sentence.after(at, conditionCue);
  if (cueEnd === null || !sentence.isFree(cueEnd)) return null;
  // "Except those in aave, too".
  const isAlso = sentence.is(sentence.words.length - 1, /^(also|too)$/);
  const words = sentence.words.slice(0, isAlso ? -1 : undefined).map(({ read }) => read);
  // "Investors in aave other than paradigm" excludes an investor, not what it invested in.
  const isEntity = sentence.after(at, entityCue) !== null;
  // "Who did not speak" asks for people.
  const start = at === 0 && sentence.is(at, /^who$/) ? at + 1 : at;
  for (const [before, from, read, first] of attemptsAt(sentence, at, words, { cueEnd, start, isEntity })) {
    const tail = createSentence([...before, ...words.slice(from)].join(' '), sentence);
    const found = read(tail, now);
    let end = before.length;
    while (end < tail.words.length && !tail.isFree(end)) end += 1;
    const isRead = Object.values(found).some((value) => value !== null && (!Array.isArray(value) || value.length > 0));
    const lead = before.map((word) => word.replace(/[,;:]$/, ''));
    const isBefore = first === start && found.relation?.of.split(' ').some((word) => lead.includes(word)) === true;
    const isOfEntity = isEntity && /^(investor|portfolio)$/.test(found.relation?.role ?? '');
    if (!isRead || isBefore || isOfEntity || end === before.length) continue;
    const until = from + end - before.length + (isAlso && end === tail.words.length ? 1 : 0);
    sentence.take(cueStart(sentence, first), until, 'without');
    return { ...nothingExcluded, ...found, text: sentence.written(first, until) };
  }
  return null;
}

interface Cue {
  readonly cueEnd: number;
  /** The position of the exclusion's first word. */
  readonly start: number;
  readonly isEntity: boolean;
}

function attemptsAt(sentence: Sentence, at: number, words: readonly string[], cue: Cue): readonly Attempt[] {
  const { start, isEntity } = cue;
  const cueEnd = articleEnd(sentence, cue.cueEnd);
  const verbEnd = sentence.after(cueEnd, placeVerb) ?? cueEnd;
  const noun = sentence.words.find((_, to) => kindWordAt(sentence, to)?.isPlural)?.key ?? 'companies';
  const heads = [
    ...(isEntity ? [] : [[noun]]),
    ...words.slice(0, at).map((_, left) => words.slice(0, at - left)),
    [noun, 'who'],
  ];
  // A clause of its own: "that paradigm [did not] invest in". A leading "which" needs a helping verb: "which companies did
  // a16z not back", but not "which speakers were not at devcon".
  const hasHelper = words.some((_, place) => sentence.is(place, /^(did|do|does|has|have)$/));
  const startOf = (place: number) => (place > 0 || hasHelper ? /^(that|which|where)$/ : /^(that|where)$/);
  const that = words.findLastIndex((_, place) => place < at - 1 && sentence.is(place, startOf(place)));
  const subject: Attempt = [['what', 'did', ...words.slice(that + 1, at)], cueEnd, relationIn, that];
  return [
    ...readers.map(([lead, read]) => [[noun, ...lead], verbEnd, read, start] as const),
    ...(that >= 0 && at - that <= subjectWordsMax + 1 ? [subject] : []),
    ...heads.map((before) => [before, cueEnd, relationIn, start] as const),
  ];
}
