import type { Text } from './texts.ts';

const headless = '(?:What|Of|How|Whether|Who|Whoever|Whom|Whose|That|Where|Which|Why)';

/** Words that have a plainer one, given after the arrow. */
const plainer: readonly (readonly [RegExp, string])[] = [
  [/\b(?:tells?|told|says?|said)\b/i, 'reports, returns, is reported'],
  [/\b(?:whoever|whomever|somebody|nobody)\b/i, 'the caller, an owner, no caller'],
  [/\bwho comes later\b/i, 'a later request'],
  [/\b(?:he|his|him|himself)\b/, 'they, their, them'],
  [/\b(?:stands? (?:in|by|beside|behind|here|there|before|at)|stands)\b/i, 'is in, is separate'],
  [/\bbeside\b/i, 'next to, alongside, in addition to'],
  [/\banew\b/i, 'again'],
  [/\bso many\b/i, 'this many'],
  [/\bof which\b|\bwhose it is\b/i, 'which, its owner'],
  [/\b(?:is|are|was|were) to be\b|\b(?:has|have) to be\b/i, 'must be, will be'],
  [/\bnothing but\b/i, 'only'],
  [/\bwithout a place\b/i, 'unassigned'],
  [/\b(?:a|one|the|each|every|another|first|last) looks?\b(?!-)/i, 'lookup, query'],
  [/\basks? (?:Elasticsearch|Postgres|the node|the chain) for\b/i, 'query'],
  [/\btaken for each other\b/i, 'is an alias of'],
  [/\bwhat waits\b/i, 'pending changes'],
  [/\b(?:is|are|was|were|be|been|being) let go\b|\b(?:lets?|letting) go of\b/i, 'is released, releases'],
  [/\bmore than once\b/i, 'the number, where it matters'],
  [/(?<!\b[Tt]here )\b(?:is|are|was|were) no (?!longer|more|less|larger|later|nearer)/, 'is not a'],
  [/\b(?:go|goes|going) on\b/, 'continues'],
  [/\bfor ever\b/, 'forever'],
];

/** Returns what is wrong with a text, as one line each; none if it follows the rules of CONTRIBUTING.md. */
export function problemsOf({ kind, text }: Text): readonly string[] {
  if (kind !== 'comment' && text.trim().split(/\s+/).length < 3) return [];
  const plain = text.replace(/`[^`]*`|"[^"\n]*"|“[^”]*”|\$\{[^}]*\}|https?:\S+/g, '…');
  const problems: string[] = [];
  for (const sentence of openingsOf(kind, plain)) {
    problems.push(`opens with a headless clause: ${sentence.replace(/\s+/g, ' ').slice(0, 60)}`);
  }
  for (const [pattern, better] of plainer) {
    const found = pattern.exec(plain);
    if (found !== null) problems.push(`"${found[0]}" → ${better}`);
  }
  return problems;
}

/** Returns the sentences that begin with a clause instead of their subject. Questions may. */
function openingsOf(kind: Text['kind'], text: string): readonly string[] {
  // The title of a describe() may be the subject of those within: "A passkey" "of another account confirms nothing".
  const start =
    kind === 'title'
      ? '^(?:what|how|whether|who|whoever|whose|why)\\b'
      : `(?:^|\\n\\s*\\n|[.:] |[.:]\\n)\\s*${headless}\\b`;
  const opening = new RegExp(`${start}[^.?!]*[.?!]?`, kind === 'title' ? 'gi' : 'g');
  return [...text.matchAll(opening)].map(([found]) => found.trim()).filter((found) => !found.endsWith('?'));
}
