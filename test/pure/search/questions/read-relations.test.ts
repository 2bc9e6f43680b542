import { readQuestion } from '../../../../src/search/questions/read-question.ts';
import { knowledge, now } from '../../../support/search/knowledge.ts';
import { companies, events, investors, people, related, understood } from '../../../support/search/understood.ts';

type Row = readonly [text: string, expected: Readonly<Record<string, unknown>>];

/** Returns the relation of those who have left, and the remaining words. */
const former = (of: string, rest = '') => ({ ...related('member', of, people, rest), tense: 'past' });

const relations: readonly Row[] = [
  ['which engineers work at aave', { ...related('member', 'aave', people), rest: 'engineers' }],
  ['Who is the founder of Ethereum?', related('founder', 'Ethereum', people)],
  ["uniswap's founders", related('founder', 'uniswap', people)],
  ['co-founders of the Ethereum Foundation', related('founder', 'Ethereum Foundation', people)],
  ['founder of the graph', related('founder', 'the graph', people)],
  ['who founded aave', related('founder', 'aave', people)],
  ['companies founded by hayden adams', related('founder', 'hayden adams', companies)],
  ['what did hayden adams found', related('founder', 'hayden adams', companies)],
  ['uniswap investors', related('investor', 'uniswap', investors)],
  ['portfolio companies of paradigm', related('portfolio', 'paradigm', companies)],
  ["paradigm's portfolio", related('portfolio', 'paradigm', companies)],
  ['what did a16z invest in', related('portfolio', 'a16z', companies)],
  ['which companies did a16z back', related('portfolio', 'a16z', companies)],
  ['companies backed by paradigm', related('portfolio', 'paradigm', companies)],
  ['pantera backed companies', related('portfolio', 'pantera', companies)],
  ['companies where a16z is an investor', related('portfolio', 'a16z', companies)],
  ['everything consensys has invested in', related('portfolio', 'consensys', companies)],
  ['startups that paradigm has invested in', related('portfolio', 'paradigm', companies)],
  ['paradigm-backed startups', related('portfolio', 'paradigm', companies)],
  ['former employees of consensys', former('consensys')],
  ['engineers at consensys', related('member', 'consensys', people, 'engineers')],
  ['where does hayden adams work', related('member', 'hayden adams', companies)],
  ['speakers at devcon', related('speaker', 'devcon', people)],
  ['did anybody speak at devcon 5', related('speaker', 'devcon 5', people)],
  ['who is aave backed by', related('investor', 'aave', investors)],
  ['where did vitalik speak', related('speaker', 'vitalik', events)],
  ['which devcons has danny ryan spoken at', related('speaker', 'danny ryan', events, 'devcons')],
  ['previously at status', former('status')],
  ['ex aragon developers', former('aragon', 'developers')],
  ['which funds invested into aave', related('investor', 'aave', investors)],
  ['people who worked in parity', related('member', 'parity', people)],
  ['authors of eip-1559', related('author', 'eip-1559', people)],
  ['who wrote eip-1559', related('author', 'eip-1559', people)],
  ['vcs that invest in defi', { rest: 'defi', kinds: investors }],
  ['which investors backed lens protocol', related('investor', 'lens protocol', investors)],
  ['the graph founder', related('founder', 'the graph', people)],
  ['who is the ethereum founder', related('founder', 'ethereum', people)],
  ['who is the cto of openzeppelin', related('member', 'openzeppelin', people, 'cto')],
  ['devcon 5 speakers on privacy', related('speaker', 'devcon 5', people, 'privacy')],
  ['who organizes ethprague', { rest: 'ethprague', kinds: events }],
  ['authors of standards for tokens', { rest: 'standards for tokens', kinds: people }],
  ['people speaking at ethprague', related('speaker', 'ethprague', people)],
  ['who works on zk at consensys', related('member', 'consensys', people, 'zk')],
  ['developers who gave a talk about zk at devcon 5', related('speaker', 'devcon 5', people, 'developers zk')],
  ['who is head of security at aave', related('member', 'aave', people, 'head of security')],
  ['how many people spoke at devcon 5', related('speaker', 'devcon 5', people)],
  ['which defi investors backed aave', related('investor', 'aave', investors, 'defi')],
  ['Which venture funds backed Optimism?', { ...related('investor', 'Optimism', investors) }],
  ['who is behind tornado cash', related('founder', 'tornado cash', people)],
  ['who are the venture firms behind aave', related('investor', 'aave', investors)],
  ['aave team members', related('member', 'aave', people)],
  ['devcon 4 speaker list', related('speaker', 'devcon 4', people)],
  ['inventor of proof of stake', related('founder', 'proof of stake', people)],
  ['firms that invested in aave', related('investor', 'aave', investors)],
  ['spoke at devcon 5', related('speaker', 'devcon 5', people)],
  ['consensys staff', related('member', 'consensys', people)],
  ['startups that hire staff', { rest: 'hire staff', kinds: companies }],
  ['conferences where danny ryan gave a talk', related('speaker', 'danny ryan', events, 'conferences')],
  ['angels behind aave', related('investor', 'aave', investors)],
  ['funds founded by hayden adams', related('founder', 'hayden adams', investors)],
  ['events by webzero', related('organizer', 'webzero', events)],
  ['events organised by the ethereum foundation', related('organizer', 'ethereum foundation', events)],
];

const founder = { role: 'founder', of: '', or: [] };
const speaker = { role: 'speaker', of: 'devcon 5', or: [] };

const severalRelations: readonly Row[] = [
  ['investors that backed both chainlink and aave', toBoth('investor', 'chainlink', 'aave', investors)],
  ['companies that a16z and paradigm invested in', toBoth('portfolio', 'a16z', 'paradigm', companies)],
  ['companies a16z and paradigm both backed', toBoth('portfolio', 'a16z', 'paradigm', companies)],
  ['vcs that backed aave as well as compound', toBoth('investor', 'aave', 'compound', investors)],
  ['founders of aave and compound', { ...related('founder', 'aave', people), relation: either('aave', 'compound') }],
  ['ex-consensys founders', { ...related('member', 'consensys', people), also: [founder], tense: 'past' }],
  ['founders who used to be at consensys', { ...former('consensys'), also: [founder] }],
  ['founders who previously worked at aave', { ...former('aave'), also: [founder] }],
  ['founders who spoke at devcon 5', { kinds: people, relation: speaker, also: [founder] }],
  ['people who founded a company', { kinds: people, relation: founder }],
];

function toBoth(role: string, of: string, other: string, kinds: readonly string[]) {
  return { ...related(role, of, kinds), also: [{ role, of: other, or: [] }] };
}

function either(of: string, ...or: readonly string[]) {
  return { ...founder, of, or };
}

describe.each([
  ['relations', relations],
  ['several relations', severalRelations],
])('reads %s', (_, rows) => {
  test.each(rows)('%s', (text, expected) => expect(understood(text)).toEqual({ rest: '', ...expected }));
});

test.each([
  ['startups backed by german vcs', 'german investors', 'backed by german vcs'],
  [
    'startups backed by big german or british funds',
    'german or british investors',
    'backed by big german or british funds',
  ],
  ['companies with investors from the UK', 'investors in UK', 'with investors from the UK'],
  [
    'dex companies that have a german VC among their backers',
    'german investors',
    'that have a german VC among their backers',
  ],
  ['investors in berlin startups', 'berlin companies', 'in berlin startups'],
  ['funds that back startups in Japan', 'companies in Japan', 'back startups in Japan'],
])('reads a class of related entities by its places: %s', (text, search, part) => {
  const { relatedClass, parts } = readQuestion(text, knowledge, now);
  expect(relatedClass).toMatchObject({ text: search });
  expect(parts.filter(({ text: one }) => one.endsWith(part))).toMatchObject([{ as: 'ignored' }]);
});

test.each([
  'startups backed by vcs',
  'startups not backed by german vcs',
  'startups backed by german vcs such as paradigm',
  'startups backed by german vcs and paradigm',
  'startups in germany',
  'investors in germany',
])('reads no class without a place, or with a denial, likeness or further names: %s', (text) => {
  expect(readQuestion(text, knowledge, now).relatedClass).toBeNull();
});
