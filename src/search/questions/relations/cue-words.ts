import { nameEnds } from '../../vocabulary/name-candidates.ts';
import { phrase } from '../sentence.ts';
import { fillers, linkWords, wordSet } from '../words.ts';

export type Cue = 'money' | 'talk' | 'work' | 'founding' | 'writing';

const cues: readonly (readonly [Cue, RegExp])[] = [
  [
    'money',
    /^(invest(s|ed|ing|ments?|ors?)?|co|coinvest(s|ed|ing|ors?|ments?)?|back(s|ed|ing|ers?)?|fund(s|ed|ing|ers?)?|financ(e[ds]?|ing|iers?)|money|cash|capital|che(que|ck)s?|stakes?|pieces?|slices?|exposure|positions?|(share|stake)holders?|equity|portfolios?|hold(s|ings?)?|own(s|ed)?|bets?|vcs?|ventures?|rounds?|deals?|bankroll(s|ed)?|alongside|angels?|table|held|board|support(s|ed|ers?)?|\${2,})$/,
  ],
  [
    'talk',
    /^(speak(s|ers?|ing)?|spoken?|talk(s|ed|ing)?|keynote[ds]?|present(s|ed|ers?|ing)?|presentations?|panel(s|ists?)?|stages?|address(ed)?|audiences?|lectured?|appear(s|ed)?)$/,
  ],
  [
    'work',
    /^(work(s|ed|ing)?|employ(s|ed|ees?|er)?|staff|team|former(ly)?|ex|left|quit|alumni|previous(ly)?|members?)$/,
  ],
  ['founding', /^(co)?(found(ed|ers?)?|creat(ed|ors?)|invented|inventors?|start(ed)?|built|launched)$/],
  [
    'writing',
    /^(wr(o|i)tes?|writ(ing|ten|ers?)|(co)?author(s|ed|ing)?|editors?|draft(s|ed)|sign(s|ed)|published|proposed|specified)$/,
  ],
];
export const cueOf = (key: string): Cue | undefined => cues.find(([, words]) => words.test(key))?.[0];

/** Returns true for words that people leave out of names: "Multicoin" is Multicoin Capital. */
export const endsName = (key: string): boolean => nameEnds.includes(key.replace(/^venture$/, 'ventures'));

/** Words for what several entities have in common. */
export const inCommon = /^(both|same|shared?|shares|common|mutual|together|joint|jointly|overlap)$/;
export const joint = /^(co|coinvest.*|alongside|join(ed|ing)?)$/;
/** The same, and others for another name that must hold as well. */
export const furthermore = /^(too|also|again|well|plus)$/;
export const denial = phrase(
  "(other|rather) than|instead of|(apart|aside) from|outside( of)?|leav(e|ing) (out|aside)|remov(e|ing)|(absent|missing)( (in|from|at))?|no|not|never|stayed( away)?|neither|nor|without|sans|minus|except|excluding|pass(ed)?( on)?|skip(s|ped)?|forget|ignor(e|ing)|missed|declined|refused|(is|are|was|were|do|does|did|has|have|had)n['’]?t",
);

/** Words that add nothing to a relation. */
const helping = wordSet(
  'went whose your there their them its into up far ever already yet currently now still recently put puts pour poured given giving bought buy got gets getting & n r participate participated received raised provided provide count counts made make lists pls somebody someone anybody anyone everybody everyone whoever people name names part side two three alike sit sits yes inside out counting if so having apart aside leaving either those behind under',
);
/** Words that ask for more than a relation. */
export const telling =
  /^(ones?|like|how|many|about|around|during|since|than|most|best|top|used|using|focus(ed|ing)?|based|speciali[sz](ed|ing))$/;

export function isHelping(key: string): boolean {
  const isUsual = !/[\p{L}\p{N}]/u.test(key) || [helping, fillers, linkWords].some((words) => words.has(key));
  return !telling.test(key) && (isUsual || [denial, inCommon, furthermore, joint].some((words) => words.test(key)));
}
