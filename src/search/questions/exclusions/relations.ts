import type { KindName } from '../../../kinds/kind.ts';
import { type Exclusion, nothingExcluded, type RelationRole } from '../question.ts';
import { distinct, type KnownName, proposalsIn } from '../relations/possible-names.ts';
import { createSentence, phrase, type Sentence } from '../sentence.ts';
import { fold, joinedName } from '../words.ts';
import { conditionCue } from './cues.ts';

const onesOf = phrase(
  '(the )?(ones?|those|people)( (that|which|who))?( (is|are|was|were))? (at|from|in|of|on|by|with)',
);

/** Returns the name in "skip the ones from devcon 6", and takes these words. */
export function namedOnesAt(sentence: Sentence, at: number, known: readonly KnownName[]): string | null {
  const from = sentence.after(at, conditionCue);
  const start = from === null ? null : sentence.after(from, onesOf);
  const name = distinct(known.filter((one) => one.from === start))[0];
  if (name === undefined || sentence.gazetteer.find(fold(name.name)) !== null) return null;
  sentence.take(at, name.until, 'without');
  return name.written ?? name.name;
}

/**
 * Names of another kind exclude by a relation: "startups without coinbase ventures" are not in its portfolio, and "people
 * at consensys but not the ones at devcon 6" did not speak there.
 */
export function excludedRelations(
  sentence: Sentence,
  excluded: readonly string[],
  known: readonly KnownName[],
  wanted: readonly KindName[],
): readonly Exclusion[] {
  const [kind, ...others] = wanted;
  if (kind === undefined || others.length > 0) return [];
  const all = [...known, ...excluded.flatMap((text) => proposalsIn(createSentence(text, sentence)))];
  return excluded.flatMap((text) => {
    const named = all.filter(({ name, written = name }) => joinedName(written) === joinedName(text));
    const kinds = new Set(named.flatMap((one) => [...one.kinds]));
    const [first] = named;
    const role = first === undefined || kinds.has(kind) ? undefined : roleOfOthers(kind, kinds);
    const isTopic = role !== 'portfolio' && sentence.isTopicOrChain(fold(text).split(' '));
    if (first === undefined || role === undefined || isTopic) return [];
    return { ...nothingExcluded, text, relation: { role, of: first.name, or: [] } };
  });
}

/** Returns the relation of a wanted kind to a name that only other kinds have; none of them for a proposal. */
function roleOfOthers(kind: KindName, others: ReadonlySet<KindName>): RelationRole | undefined {
  const [ofCompanies, ofInvestors] = [others.has('companies'), others.has('investors')];
  if (kind === 'companies') return ofInvestors ? 'portfolio' : undefined;
  if (kind === 'investors') return ofCompanies ? 'investor' : undefined;
  if (kind !== 'people') return undefined;
  if (others.size === 0) return 'author';
  return others.has('events') ? 'speaker' : ofCompanies || ofInvestors ? 'member' : undefined;
}
