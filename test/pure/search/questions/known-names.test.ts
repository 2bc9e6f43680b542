import type { KindName } from '../../../../src/kinds/kind.ts';
import type { Relation } from '../../../../src/search/questions/question.ts';
import { readQuestion } from '../../../../src/search/questions/read-question.ts';
import { possibleNames } from '../../../../src/search/questions/relations/possible-names.ts';
import { knowledge, now } from '../../../support/search/knowledge.ts';

const data: Readonly<Record<string, readonly KindName[]>> = {
  aave: ['companies'],
  'nexus mutual': ['companies'],
  dydx: ['companies'],
  gitlab: ['companies'],
  solana: ['companies'],
  consensys: ['companies', 'investors'],
  coinbase: ['companies', 'investors'],
  'coinbase ventures': ['investors'],
  a16z: ['investors'],
  paradigm: ['investors'],
  '468 capital': ['investors'],
  devcon: ['events'],
  'devcon 1': ['events'],
  'devcon 6': ['events'],
  'hayden adams': ['people'],
  'matt spoke': ['people'],
  matt: ['people'],
};

/** Reads a text by the names in `data`: "role name+name -excluded", with "|" for alternatives. */
function read(text: string, isByName = true, unexplained: 'few' | 'any' = 'few'): string {
  const spans = isByName ? possibleNames(text, knowledge) : [];
  const names = spans.flatMap((span) => {
    const kinds = data[span.name.toLowerCase()];
    return kinds === undefined ? [] : [{ ...span, kinds: new Set(kinds) }];
  });
  const plain = readQuestion(text, knowledge, now);
  const known = { names, plain, unexplained };
  const question = readQuestion(text, knowledge, now, known);
  const { relation, also, excluded, without, like, sharing, kinds, rest, tense, places, amounts, parts } = question;
  const asRead = ({ role, of, or }: Relation) =>
    `${role === relation?.role ? '' : `${role} `}${[of || 'any', ...or].join('|')}`;
  const all = relation === null ? [] : [relation, ...also].map(asRead);
  const ignored = parts.flatMap(({ as, text: part }) => (as === 'ignored' ? `?${part}` : []));
  const not = [...excluded.map((one) => one.relation?.of ?? one.text), ...without].map((name) => ` -${name}`);
  const asked = `${kinds.join(' ')}: ${sharing === null ? (relation?.role ?? '') : `shares with ${like}`}`;
  const numbers = amounts.map(({ about, from, until }) => `${about} ${from ?? ''}..${until ?? ''}`);
  const more = [tense ?? '', ...ignored, ...numbers, rest, ...places.map((place) => place.text)].filter(
    (part) => part !== '',
  );
  return [`${asked} ${all.join('+')}${not.join('')}`.trim(), ...more].join(', ').toLowerCase();
}

test.each([
  ['wrote a BIP and also an EIP or ERC, who', 'people: author bip+eip|erc'],
  ['name the investor that supports nexus mutual', 'investors: investor nexus mutual'],
  ['who gave money aave and also dydx', 'investors: investor aave+dydx'],
  ['vcs in gitlab AND aave', 'investors: investor gitlab+aave'],
  ['aave vc names, forget a16z i know it', 'investors: investor aave -a16z'],
  ['leaving a16z and paradigm aside, which funds backed aave', 'investors: investor aave -a16z -paradigm'],
  ['backers gitlab pls', 'investors: investor gitlab'],
  ['GitLab shareholders who put cash into aave too', 'investors: investor gitlab+aave'],
  ['investors of aave and dydx', 'investors: investor aave|dydx'],
  ['aave and dydx same investors?', 'investors: investor aave+dydx'],
  ['backers of aave together with those of dydx', 'investors: investor aave|dydx'],
  [
    'what did coinbase ventures back that a16z and paradigm did not',
    'companies: portfolio coinbase ventures -a16z -paradigm',
  ],
  ['leaving out whoever funded gitlab, who invested in aave', 'investors: investor aave -gitlab'],
  ['a16z aside, who else is on the cap table of aave or dydx', 'investors: investor aave|dydx -a16z'],
  ['startups with vc money besides coinbase', 'companies:   -coinbase, investors 1..'],
  ['startups with the same backers as aave', 'companies: shares with aave'],
  ['defi startups with vc money but no coinbase ventures', 'companies:   -coinbase ventures, investors 1.., defi'],
  ['which backers do aave and dydx share', 'investors: investor aave+dydx'],
  ["Aave investors who aren't in dYdX or GitLab", 'investors: investor aave -dydx -gitlab'],
  ['what paradigm backed where a16z is not in', 'companies: portfolio paradigm -a16z'],
  ['what does a16z own that Paradigm does not?', 'companies: portfolio a16z -paradigm'],
  ['paradigm bets where a16z did not join', 'companies: portfolio paradigm -a16z'],
  [
    'companies that count a16z as well as Coinbase Ventures among their backers',
    'companies: portfolio a16z+coinbase ventures',
  ],
  ['paradigm & 468 capital co-investments', 'companies: portfolio paradigm+468 capital'],
  ['a16z + paradigm both in', 'companies: portfolio a16z+paradigm'],
  ['startups with a16z and paradigm on the cap table', 'companies: portfolio a16z+paradigm'],
  ['vc in aave and in dydx', 'investors: investor aave+dydx'],
  ['a16z startups where paradigm is absent from the cap table', 'companies: portfolio a16z -paradigm'],
  ['who put money in aave and in foobarium', 'investors: investor aave+foobarium'],
  ['startups in berlin with money from coinbase', 'companies: portfolio coinbase, berlin'],
  ['other investors besides a16z in aave', 'investors: investor aave -a16z'],
  ['aave was financed by whom', 'investors: investor aave'],
  ['shared investments of a16z and paradigm', 'companies: portfolio a16z+paradigm'],
  ['a16z and paradigm joint investments', 'companies: portfolio a16z+paradigm'],
  ['a16z portfolio w/o coinbase pls', 'companies: portfolio a16z -coinbase'],
  ['what has a16z backed that paradigm stayed out of', 'companies: portfolio a16z -paradigm'],
  ['firms with a16z on board but neither paradigm nor 468 capital', 'companies: portfolio a16z -paradigm -468 capital'],
  ['which firms joined paradigm in funding aave', 'investors: investor aave -paradigm'],
  ['who has co-invested with paradigm', 'investors: shares with paradigm'],
  ["a16z's co-investors in germany", 'investors: shares with a16z, germany'],
  ['funds in the same deals as a16z', 'investors: shares with a16z'],
  ['which firms share portfolio companies with paradigm', 'investors: shares with paradigm'],
  ['alongside paradigm, who else joined aave', 'investors: investor aave -paradigm'],
  ['who spoke at devcon 1 and again at devcon 6', 'people: speaker devcon 1+devcon 6'],
  ['hayden adams talks', 'events: speaker hayden adams'],
  ['consensys people who left', 'people: member consensys, past, ?left'],
  ['consensys speakers at devcon 6 who are not founders', 'people: speaker devcon 6 -, consensys'],
  ["startups that a16z backed and paradigm didn't fund", 'companies: portfolio a16z -paradigm'],
  ["startups that a16z backed and paradigm didn't, as investors", 'companies: portfolio a16z -paradigm'],
  ['devcon 6 speakers from outside aave', 'people: speaker devcon 6 -aave'],
  ['gitlab founders who', 'people: founder gitlab'],
  ['vcs with stakes in aave', 'investors: investor aave'],
  ['which funds have exposure to dydx', 'investors: investor dydx'],
  ['who gave money to aave', 'investors: investor aave'],
  ['who put money into gitlab', 'investors: investor gitlab'],
  ['companies that got money from a16z', 'companies: portfolio a16z'],
  ['events in berlin where hayden adams spoke', 'events: speaker hayden adams, berlin'],
  ['vcs that have aave in portfolio', 'investors: investor aave'],
  ['funds which own a piece of aave and of dydx', 'investors: investor aave+dydx'],
  ['which vcs hold both aave and dydx in their portfolio', 'investors: investor aave+dydx'],
  ['firms which took part in funding aave and dydx too', 'investors: investor aave+dydx'],
  ['a16z holds aave, what else does it hold', 'companies: portfolio a16z -aave'],
  ['co-investors of a16z that are not in aave', 'investors: shares with a16z  -aave'],
  ['what did a16z back that paradigm passed on', 'companies: portfolio a16z -paradigm'],
  ['which funds other than a16z invested in aave', 'investors: investor aave -a16z'],
  ['gitlab backers other than a16z', 'investors: investor gitlab -a16z'],
  ['who worked at consensys and founded a company', 'people: member consensys+founder any'],
  ['former gitlab employees who started companies', 'people: member gitlab+founder any, past, ?former'],
  ['founders of aave who spoke at devcon 1', 'people: founder aave+speaker devcon 1'],
  ['which devcon 1 speakers work at aave', 'people: speaker devcon 1+member aave'],
  [
    'who from gitlab has been on stage at devcon 1 and wrote a BIP',
    'people: member gitlab+speaker devcon 1+author bip',
  ],
  ['who has more than three EIPs', 'people: author eips, proposals 4..'],
  ['who authored Near Enhancement Proposals', 'people: author nep'],
  ['who has written proposals for Bitcoin as well as for Ethereum', 'people: author bip+eip/erc'],
  ['wrote both a BIP and an EIP or ERC, who', 'people: author bip+eip|erc'],
  ['authors of NEAR NFT standards', 'people: author nep, nft'],
  ['a16z defi portfolio', 'companies: portfolio a16z, defi'],
  ['segwit bip authors', 'people: author bip, segwit'],
  ['authors of proposals about rollups', 'people: author eip/erc/bip/cip/cps/nep/slip/caip, rollups'],
  ['authors of proposals for bitcoin', 'people: author bip'],
  ['who wrote EIPs concerning blobs', 'people: author eips, blobs'],
  ['who appeared at a devcon', 'people: speaker devcon'],
  ['who have never spoken at any devcon', 'people:   -devcon'],
  ['devcon 1 speakers without those who were on stage at devcon 6', 'people: speaker devcon 1 -devcon 6'],
  // A name of another kind excludes those who are related to it.
  ["aave's investors, and leave out those that also funded dydx", 'investors: investor aave -dydx'],
  ['aave backers, drop whoever is in gitlab also', 'investors: investor aave -gitlab'],
  ['people at consensys, skip the ones from devcon 6', 'people: member consensys -devcon 6'],
  ['people at consensys but not the ones at aave', 'people: member consensys -aave'],
  ['erc-7828 authors but not the ones on erc-7930', 'people: author erc-7828 -erc7930'],
  ['people who spoke at devcon 6 rather than devcon 1', 'people: speaker devcon 6 -devcon 1'],
  ['startups in berlin without a16z', 'companies:   -a16z, berlin'],
  // Words that nothing explains: topics are searched for, the others are reported.
  ['devcon 6 talks about rollups, by whom', 'people: speaker devcon 6, rollups'],
  ['are there promising startups with a16z money', 'companies: portfolio a16z, ?promising'],
])('Names in the data and words for a relation are read in any order: %s', (text, expected) => {
  expect(read(text)).toBe(expected);
});

test.each([
  ["walk me through paradigm's holdings among the brands you list", 'companies: portfolio paradigm'],
  ['which funds hold a stake in at least one of aave, dydx and gitlab', 'investors: investor aave|dydx|gitlab'],
  ['devcon 1 old timers still talking at devcon 6', 'people: speaker devcon 1+devcon 6'],
])('If nothing else answers, any other words are reported: %s', (text, expected) => {
  expect(read(text)).not.toContain(expected);
  expect(read(text, true, 'any').split(', ?')[0]).toBe(expected);
});

test.each([
  // Either kind of name may be meant.
  'coinbase money',
  // An investor's own name.
  'paradigm fund',
  'a16z & co.',
  'Matt Spoke',
  // A company's name that is also a noun, and that no entity has.
  'investors in Maker but not in aave',
  // Words for more than a relation.
  'aave investors like dydx',
  'aave defi portfolio',
  'gitlab quadratic funding',
  'a16z money laundering',
  'paradigm portfolio on solana',
  'solana funds',
])('A text that is more than names and a relation is read without them: %s', (text) => {
  expect(read(text)).toBe(read(text, false));
});
